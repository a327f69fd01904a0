#!/usr/bin/env bash
# Builds the image, once an assignment: a Python that JAX supports, the libraries, and what confines submissions.
set -euo pipefail

export DEBIAN_FRONTEND=noninteractive
root=${JUDGE_AUTOGRADER_ROOT:-/autograder}

apt-get update
apt-get install -y --no-install-recommends bubblewrap libseccomp2
python=$(command -v python3.13 || command -v python3.12 || command -v python3.11 || true)
if [[ -z $python ]]; then
  apt-get install -y --no-install-recommends python3.12 python3.12-venv ||
    apt-get install -y --no-install-recommends python3.11 python3.11-venv
  python=$(command -v python3.12 || command -v python3.11)
else
  apt-get install -y --no-install-recommends "${python##*/}-venv"
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/pip" install --no-cache-dir -r "$root/source/requirements.txt"
