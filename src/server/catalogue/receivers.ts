import { readFileSync } from 'node:fs'
import { INSTALL, receiverSnippet } from './snippet.ts'

/** A whole receiver that can be pasted. */
export interface ReceiverCode {
  readonly language: string
  /** For a block of Markdown. */
  readonly highlight: string
  readonly file: string
  readonly command: string
  readonly code: string
}

/** Tests run each of these against real deliveries. The published package has them at the same place. */
const FOLDER = new URL('../../../examples/receivers/', import.meta.url)

const FILES = [
  ['Python', 'python', 'receiver.py', 'python3 receiver.py'],
  ['Go', 'go', 'receiver.go', 'go run receiver.go'],
  ['PHP', 'php', 'receiver.php', 'php -S 127.0.0.1:3000 receiver.php'],
  ['Ruby', 'ruby', 'receiver.rb', 'gem install webrick && ruby receiver.rb'],
  ['C#', 'csharp', 'receiver.cs', 'dotnet run receiver.cs'],
  ['Java', 'java', 'Receiver.java', 'java Receiver.java'],
] as const

export function receivers(headerPrefix: string): ReceiverCode[] {
  const node = {
    language: 'Node',
    highlight: 'js',
    file: 'receiver.mjs',
    command: `${INSTALL} && node receiver.mjs`,
    code: receiverSnippet(headerPrefix),
  }
  const others = FILES.map(([language, highlight, file, command]) => ({
    ...{ language, highlight, file, command },
    code: adapted(readFileSync(new URL(file, FOLDER), 'utf8'), headerPrefix),
  }))
  return [node, ...others]
}

/** The examples have the default prefix, and the text of the repository above them. */
function adapted(code: string, prefix: string): string {
  return code
    .replace(' of Posthorn:', ':')
    .replace(/ README\.md says how to run it\./, '')
    .replaceAll('Posthorn waits', 'the sender waits')
    .replaceAll(/\bwh-(?=(?:id|timestamp|signature|test)\b)/g, prefix)
    .replaceAll('HTTP_WH_', `HTTP_${prefix.toUpperCase().replaceAll('-', '_')}`)
}
