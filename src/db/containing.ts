/** Selects texts that contain this one, ignoring case. Prisma passes the text to ILIKE unescaped, so its wildcards are escaped here. */
export function containing(text: string) {
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const
}
