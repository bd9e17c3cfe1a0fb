/** A uuid in memory that threads share. A thread can read it after the one that wrote it has ended. */
export interface SharedId {
  set(uuid: string): void
  clear(): void
  read(): string | null
}

const UUID_LENGTH = 36

export const createSharedIdMemory = () => new SharedArrayBuffer(UUID_LENGTH)

export function openSharedId(memory: SharedArrayBuffer): SharedId {
  const bytes = Buffer.from(memory)
  return {
    set: (uuid) => void bytes.write(uuid, 'latin1'),
    clear: () => void bytes.fill(0),
    read: () => (bytes[0] === 0 ? null : bytes.toString('latin1')),
  }
}
