import { connect } from 'node:net'

/** Sends raw bytes and returns the response when the server closes the connection. */
export async function sendRaw(
  url: string,
  text: string,
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(url)
  const answer = await new Promise<string>((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}
