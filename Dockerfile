# The judge in a container:
#
#   docker build -t jax-judge .
#   docker run --rm --network none --read-only --tmpfs /tmp --memory 8g --pids-limit 2048 \
#     --user "$(id -u):$(id -g)" -v "$PWD:/work" jax-judge grade submissions/
#
# Results are written to results/ in the mounted folder, owned by whoever --user names. `doctor` in place of `grade submissions/`
# says what confines; bubblewrap needs --security-opt seccomp=unconfined, and apparmor=unconfined where AppArmor is on.
ARG BASE=python:3.11-slim
FROM ${BASE} AS build

WORKDIR /src
RUN python3 -m venv /opt/judge
# What seldom changes first: the dependencies stay cached while the judge is worked on.
COPY pyproject.toml README.md LICENSE ./
COPY judge/__init__.py judge/__init__.py
# For the pods of a cluster: --build-arg EXTRAS='[cluster]'
ARG EXTRAS=
RUN mkdir problems && /opt/judge/bin/pip install --no-cache-dir ".${EXTRAS}"
COPY judge judge
COPY problems problems
RUN /opt/judge/bin/pip install --no-cache-dir --no-deps --force-reinstall .

FROM ${BASE}
# bubblewrap is used where the container may make namespaces; elsewhere Landlock and seccomp (libseccomp2) confine alone.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap libseccomp2 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 1000 --create-home judge
COPY --from=build /opt/judge /opt/judge
# A user named by number has no home and the root may be read-only: /tmp is the one place to write.
ENV PATH=/opt/judge/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER judge
WORKDIR /work
ENTRYPOINT ["judge"]
CMD ["--help"]
