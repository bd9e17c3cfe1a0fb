import { writeFileSync } from 'node:fs'
import { besidePath } from '../support/installed-program.ts'

/** The wall clock of a process, which differs from that of the machine. Its monotonic clock stays right. */
export interface FakeClock {
  readonly environment: Readonly<Record<string, string>>
  /** Takes effect within a second. */
  set(differenceSeconds: number): void
}

/** Of Debian's package `libfaketime`. */
const [LIBRARY] = besidePath('lib/*/faketime/libfaketimeMT.so.1')

export const FAKE_CLOCK_MISSING =
  LIBRARY === undefined ? 'libfaketime is not installed (apt-get install libfaketime)' : null

/** Null without the library. */
export function createFakeClock(file: string): FakeClock | null {
  if (LIBRARY === undefined) return null
  const set = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  set(0)
  return {
    environment: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
