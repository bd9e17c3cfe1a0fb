/** A path as the command in a unit of systemd, which has its own quotes, variables and specifiers. */
export function unitText(file: string): string {
  return `"${file.replaceAll(/["\\]/g, '\\$&').replaceAll(/[%$]/g, '$&$&')}"`
}
