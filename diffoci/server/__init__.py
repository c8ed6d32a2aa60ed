"""What surrounds the pages while they are served: who may come in, headers, limits on uploads, queue, readiness."""
