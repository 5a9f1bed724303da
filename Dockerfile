# chant_mcp over HTTP, for a project that is mounted at /project:
#   docker build -t chant-mcp .
#   docker run -p 127.0.0.1:19560:19560 -v "$PWD:/project" -v "$HOME/chant-token:/run/chant:ro" chant-mcp
# The token that clients have to send is the one line of the file `token` in that folder. The image holds no agents.
FROM rust:1.89-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir "maturin>=1.9,<2"
WORKDIR /source
COPY Cargo.toml Cargo.lock pyproject.toml README.md LICENSE-MIT LICENSE-APACHE ./
COPY rust ./rust
COPY python ./python
RUN /venv/bin/maturin build --release --locked --out /wheels

FROM python:3.12-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -rf /wheels
RUN useradd --create-home --uid 10001 chant
USER chant
WORKDIR /project
VOLUME ["/project"]
EXPOSE 19560
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-I", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:19560/health', timeout=4)"]
ENTRYPOINT ["chant-mcp"]
CMD ["serve", "--http", "0.0.0.0:19560", "--project", "/project", "--token-file", "/run/chant/token"]
