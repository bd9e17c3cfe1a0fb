/** The lines of a file in UTF-8, without their ends. Only a line feed ends a line: JSON may have other separators. */
export async function* splitLines(
  file: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, undefined> {
  let rest: Buffer[] = []
  for await (const chunk of file) {
    let begin = 0
    const bytes = Buffer.from(chunk)
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, begin)) {
      yield Buffer.concat([...rest, bytes.subarray(begin, end)]).toString()
      rest = []
      begin = end + 1
    }
    if (begin < bytes.length) rest.push(bytes.subarray(begin))
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString()
}

const LINE_FEED = 0x0a
