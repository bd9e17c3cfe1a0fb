import type { Brand } from '../../config/brand.ts'
import { linkColors } from './brand-colors.ts'

/** The style of the page, in the color of the brand. */
export function styleOf({ color }: Pick<Brand, 'color'>): string {
  if (color === null) return STYLE
  const { light, dark } = linkColors(color)
  return `${STYLE}:root { --link: light-dark(${light}, ${dark}); --bar: ${color}; }\n`
}

/** The colors and sizes of the console. */
const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #1a1b1e);
  --sunken: light-dark(#f6f8fb, #1f2228);
  --line: light-dark(#e3e7ee, #363c46);
  --text: light-dark(#16191f, #d5d9e0);
  --strong: light-dark(#000000, #ffffff);
  --dimmed: light-dark(#5b6472, #a3abb8);
  --link: light-dark(#2a50b4, #89a6ec);
  --bar: transparent;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-block-start: 24px; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 14px/1.55 "Inter Variable", Inter, system-ui, sans-serif;
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
header { border-block-start: 4px solid var(--bar); border-block-end: 1px solid var(--line); }
header > div { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; padding: 16px 24px; max-width: 1240px; margin-inline: auto; }
h1 { font-size: 20px; line-height: 1.4; font-weight: 600; margin: 0; color: var(--strong); }
header nav { display: flex; gap: 16px; margin-inline-start: auto; }
.logo { height: 28px; max-width: 160px; object-fit: contain; align-self: center; }
.rules-list { margin: 8px 0 0; padding-inline-start: 20px; max-width: 72ch; }
.rules-list li { margin-block-start: 4px; overflow-wrap: anywhere; }
.receiver { margin-block-start: 8px; border: 1px solid var(--line); border-radius: 8px; padding: 0 16px; }
.receiver[open] { padding-block-end: 16px; }
.receiver summary { cursor: pointer; font-weight: 600; color: var(--strong); padding-block: 10px; }
.receiver pre { max-height: 480px; overflow: auto; }
.facts { max-width: 900px; }
.facts th:nth-child(n) { width: auto; }
.facts th:first-child { width: 25%; }
.facts td:nth-child(2) { color: inherit; }
li code, td code { background: var(--sunken); border-radius: 4px; padding: 1px 4px; }
.columns { max-width: 1240px; margin-inline: auto; padding: 24px; display: grid; gap: 24px; padding-block-end: 64px; }
main { min-width: 0; }
.names { font-size: 13px; }
.names summary { cursor: pointer; font-weight: 600; color: var(--strong); padding-block: 4px; }
.names ul { list-style: none; margin: 4px 0 0; padding: 0; }
.names li a { display: block; padding: 4px 8px; border-radius: 6px; color: var(--text); overflow-wrap: anywhere; }
.names li a:hover { background: var(--sunken); text-decoration: none; }
.names h2 { margin: 16px 0 0; padding-inline: 8px; font-size: 12px; font-weight: 600; color: var(--dimmed); }
section { padding-block: 28px; border-block-start: 1px solid var(--line); }
section:first-of-type { border-block-start: 0; padding-block-start: 0; }
section h2, section h3 { margin: 0; color: var(--strong); font-weight: 600; }
section h2 { font-size: 16px; }
section h3 { font: 600 15px/1.5 var(--mono); overflow-wrap: anywhere; }
section h3 a { color: inherit; }
h4 { margin: 20px 0 8px; font-size: 13px; font-weight: 600; color: var(--strong); }
p { margin: 6px 0 0; max-width: 72ch; overflow-wrap: anywhere; white-space: pre-line; }
.group { font-size: 12px; font-weight: 600; color: var(--dimmed); }
code, pre { font-family: var(--mono); font-size: 12.5px; }
p code { background: var(--sunken); border-radius: 4px; padding: 1px 4px; }
pre {
  margin: 8px 0 0; padding: 12px 16px; overflow-x: auto; line-height: 1.6;
  background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; tab-size: 2;
}
.examples { max-height: 420px; overflow: auto; }
table { width: 100%; border-collapse: collapse; margin-block-start: 8px; table-layout: fixed; }
th, td { text-align: start; vertical-align: top; padding: 8px 16px 8px 0; border-block-end: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-size: 12px; font-weight: 500; color: var(--dimmed); padding-block: 4px; }
th:nth-child(1) { width: 36%; }
th:nth-child(2) { width: 20%; }
td code { color: var(--strong); }
.required { margin-inline-start: 8px; padding: 0 6px; border: 1px solid var(--line); border-radius: 4px; font-size: 11px; color: var(--dimmed); white-space: nowrap; }
.rules { display: block; font-size: 12px; color: var(--dimmed); }
.empty { padding: 48px 24px; text-align: center; border: 1px dashed var(--line); border-radius: 8px; color: var(--dimmed); }
.empty p { margin-inline: auto; }
@media (max-width: 999px) { .names details { max-height: 45vh; overflow-y: auto; } }
@media (min-width: 1000px) {
  .columns { grid-template-columns: 260px minmax(0, 1fr); gap: 40px; }
  .names { position: sticky; inset-block-start: 24px; align-self: start; max-height: calc(100vh - 48px); overflow-y: auto; }
  .names summary { padding-inline: 8px; }
}
@media (max-width: 640px) {
  header > div, .columns { padding-inline: 16px; }
  header nav { margin-inline-start: 0; }
  table, tbody, tr, td { display: block; width: auto; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding-block: 8px; border-block-end: 1px solid var(--line); }
  td { padding: 1px 0; border: 0; }
  td:nth-child(2) { color: var(--dimmed); font-size: 13px; }
  td:empty { display: none; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print { .names, header nav { display: none; } pre { overflow: visible; white-space: pre-wrap; } .examples { max-height: none; } }
`
