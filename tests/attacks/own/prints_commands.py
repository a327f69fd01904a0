# expect: accepted: lines that a CI server obeys, escapes, a forged report | must not: be obeyed, be taken for the judge's
"""What a submission printed is shown to its student, in a log that a machine may read."""
# preamble: honest

print("::add-mask::a\n  ::stop-commands::x\n##vso[task.complete result=Succeeded;]DONE\n\x1b[2J\x1b]52;c;eA==\x07\u202eaccepted\r[1/1] x accepted")
print("```\n# accepted\n<script>alert(1)</script>\n=HYPERLINK(1)")

def solve(*a):
    print("::set-output name=grade::100", "\u2028", flush=True)
    return honest(*a)
