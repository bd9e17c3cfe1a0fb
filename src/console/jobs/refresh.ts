/** How often jobs are read again while the page is looked at. */
export const REFRESH_EVERY_MS = 5_000
