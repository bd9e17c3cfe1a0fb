/** For the input of a process that may end before it has read all, for example because an option is wrong. */
export function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
