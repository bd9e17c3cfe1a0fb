/** An address without its scheme, which is the same for all webhooks. */
export const hostAndPath = (url: string) => url.replace(/^https:\/\//, '')
