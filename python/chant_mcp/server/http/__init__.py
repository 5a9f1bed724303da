"""Serving over HTTP; nothing outside this folder knows starlette and uvicorn."""
