/** The letters of a date's format, and what each stands for, in UTC. */
export const DATE_LETTERS = ['yyyy', 'MM', 'MMM', 'dd', 'EEE', 'HH', 'mm', 'ss', 'SSS'] as const

type DateLetters = (typeof DATE_LETTERS)[number]

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')

const PRINT: Readonly<Record<DateLetters, (time: Date) => string>> = {
  yyyy: (time) => digits(time.getUTCFullYear(), 4),
  MM: (time) => digits(time.getUTCMonth() + 1, 2),
  MMM: (time) => MONTHS[time.getUTCMonth()] as string,
  dd: (time) => digits(time.getUTCDate(), 2),
  EEE: (time) => DAYS[time.getUTCDay()] as string,
  HH: (time) => digits(time.getUTCHours(), 2),
  mm: (time) => digits(time.getUTCMinutes(), 2),
  ss: (time) => digits(time.getUTCSeconds(), 2),
  SSS: (time) => digits(time.getUTCMilliseconds(), 3),
}

/** A run of one letter, words between single quotes, or what stands for itself. */
const PART = /(\p{L})\1*|'([^']*)'|[^\p{L}']+/gu

/** What prints a time in a format such as `yyyy-MM-dd HH:mm`, or the sentence that says what is wrong with the format. */
export function dateFormat(format: string): ((time: Date) => string) | string {
  const parts: (string | DateLetters)[] = []
  const prints: ((time: Date) => string)[] = []
  for (const { 0: part, 1: letter, 2: words } of format.matchAll(PART)) {
    parts.push(part)
    if (letter === undefined) {
      prints.push(() => words ?? part)
      continue
    }
    if (!isLetters(part)) {
      return `The format of date has ${JSON.stringify(part)}. Use ${DATE_LETTERS.join(', ')}, and put other words between single quotes.`
    }
    prints.push(PRINT[part])
  }
  if (parts.join('') !== format)
    return 'The format of date has a single quote without a second one.'
  return (time) => prints.map((print) => print(time)).join('')
}

function isLetters(part: string): part is DateLetters {
  return (DATE_LETTERS as readonly string[]).includes(part)
}

function digits(number: number, count: number): string {
  return `${number}`.padStart(count, '0')
}
