"""How any document is written: blocks, HTML or Markdown, with its result inside."""
