import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends raw bytes. Returns the status of the response when the server closes the connection. */
export async function sendRaw(url: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1])
}
