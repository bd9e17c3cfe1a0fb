import { afterAll } from 'vitest'

/** Opens a resource for the tests of a file, and disposes of it after the last. */
export async function useResource<Resource extends AsyncDisposable>(
  opening: Promise<Resource>,
): Promise<Resource> {
  const opened = await opening
  afterAll(() => opened[Symbol.asyncDispose]())
  return opened
}
