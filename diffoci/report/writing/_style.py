"""How a report looks: on a screen, narrow or wide, and printed on A4 or Letter."""

STYLE = """
:root { color-scheme: light; --ink: #1F2328; --soft: #57606A; --line: #D0D7DE; --pale: #F6F8FA; --blue: #0072B2; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: #fff; line-height: 1.5;
  font: 16px/1.5 "Source Sans 3", "Source Sans Pro", "Segoe UI", system-ui, sans-serif; }
main, header { max-width: 56.25rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
.kicker { margin: 0; color: var(--soft); letter-spacing: .02em; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: .2rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 3rem 0 .75rem; padding-top: .75rem; border-top: 3px solid var(--ink);
  overflow-wrap: anywhere; }
h3 { font-size: 1.15rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
p, li { overflow-wrap: anywhere; }
p { margin: .6rem 0; }
ul { margin: .4rem 0 .8rem; padding-left: 1.3rem; }
li { margin: .3rem 0; }
nav { border: 1px solid var(--line); border-radius: 6px; background: var(--pale); padding: .8rem 1.2rem; }
nav ol { margin: 0; padding-left: 1.4rem; columns: 2; column-gap: 2rem; }
nav li { break-inside: avoid; margin: .15rem 0; }
a { color: var(--blue); }
nav { margin: 2.5rem 0 0; }
.answer { display: grid; grid-template-columns: 11rem 1fr; gap: 0 1.25rem; padding: .35rem 0;
  border-top: 1px solid var(--line); }
.answer h3 { margin: .1rem 0; font-size: 1rem; line-height: 1.5; }
.answer p { margin: .1rem 0 .3rem; }
aside { border-left: 6px solid var(--line); background: var(--pale); padding: .5rem .9rem; margin: 0 0 1rem; }
aside p, aside ul { margin: .2rem 0; }
aside summary { color: var(--soft); font-size: .875rem; }
aside.right { border-left-color: #009E73; }
aside.wrong { border-left-color: #D55E00; background: #FFF1E8; font-weight: 600; }
aside.wrong details { font-weight: 400; }
td.wrong, span.wrong { outline: 3px solid #D55E00; background: #FFF1E8; }
summary { cursor: pointer; }
main > details { border-top: 1px solid var(--line); }
main > details > summary > h2 { display: inline-block; margin: .6rem 0; padding: 0; border: 0; font-size: 1.15rem; }
button { font: inherit; padding: .35rem .9rem; border: 1px solid var(--ink); border-radius: 6px; background: #fff;
  cursor: pointer; }
.loud { font-size: 1.5rem; line-height: 1.25; font-weight: 700; padding: .8rem 1rem; border-left: 8px solid var(--blue);
  background: var(--pale); }
.simulated { background: repeating-linear-gradient(135deg, #FFE7A8 0 18px, #FFD97A 18px 36px); color: #3A2A00;
  border-left-color: #D55E00; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar { font-weight: 700; text-align: center; padding: .5rem 1rem; border: 0; }
pre { background: var(--pale); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; margin: .5rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; font: 13.5px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
figure { margin: 1.25rem 0 .5rem; }
.chart { width: 100%; max-width: 860px; overflow: hidden; }
.held { overflow-x: auto; margin: .75rem 0 1.25rem; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; line-height: 1.35;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; }
tbody th { font-weight: 600; min-width: 13.5em; overflow-wrap: anywhere; }
.wide tbody th { min-width: 6em; } .wide th, .wide td { padding-right: .6rem; }
td { overflow-wrap: anywhere; }
.number { text-align: right; overflow-wrap: normal; }
.number span { white-space: nowrap; }
.note { color: var(--soft); font-size: .875rem; margin-top: -.75rem; }
footer { max-width: 56.25rem; margin: 3rem auto 2rem; padding: 1rem 1.25rem 0; color: var(--soft); font-size: .875rem; }
@media (max-width: 640px) {
  tbody th { min-width: 6em; }
  nav ol { columns: 1; } .answer { grid-template-columns: 1fr; }
  h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; } .loud { font-size: 1.2rem; }
}
@page { margin: 14mm 15mm 16mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
@media print {
  body { font-size: 10pt; line-height: 1.4; }
  main, header, footer { max-width: none; padding: 0; }
  header { padding-top: 0; }
  h1 { font-size: 20pt; } h2 { font-size: 14pt; margin-top: 9mm; } h3 { font-size: 11pt; margin-top: 5mm; }
  h2, h3, caption, p:has(+ figure), p:has(+ ul) { break-after: avoid; }
  .loud { font-size: 14pt; }
  .chart { zoom: .75; }
  figure, p:has(+ figure), tr, pre, .loud, li, .short { break-inside: avoid; }
  thead { display: table-header-group; }
  .held { overflow: visible; }
  table { font-size: 8pt; }
  th, td { padding: 1mm 2.5mm 1mm 0; }
  .wide table { font-size: 7pt; } .wide tbody th { min-width: 8em; }
  thead .number { overflow-wrap: anywhere; min-width: 5.5em; }
  p, li { orphans: 3; widows: 3; }
  a { color: inherit; text-decoration: none; }
  .modebar, button, nav { display: none !important; }
  aside { padding: 1mm 3mm; margin-bottom: 2mm; font-size: 8.5pt; }
  aside details:not([open]) { display: none; }
  .kicker { font-size: 9pt; }
  h1 { font-size: 17pt; margin: 0 0 2mm; }
  #part-1 > h2 { display: none; }
  #part-1 { font-size: 8.5pt; line-height: 1.28; break-after: page; }
  .answer { padding: .6mm 0; grid-template-columns: 32mm 1fr; gap: 0 4mm; break-inside: avoid; }
  .answer h3 { font-size: 8.5pt; margin: 0; line-height: 1.28; break-after: auto; }
  .answer p { margin: 0 0 .5mm; }
  #part-1 figure { margin: 2mm 0 0; }
  #part-1 .chart { zoom: .7; }
  main > details > summary > h2 { font-size: 10pt; margin: 1mm 0; }
}
"""
