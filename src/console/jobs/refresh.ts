/** How often the visible page reloads its jobs. */
export const REFRESH_EVERY_MS = 5_000
