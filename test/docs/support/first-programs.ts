import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** What surrounds a block in the reader's own program, by a part of the block. Its server listens at this port. */
export const programsAt = (port: number): Record<string, (block: string) => string> => ({
  "from 'node:http'": (block) => block.replace('listen(3000)', `listen(${port})`),
  "from '@posthorn/client'": (block) => block,
  'client.query': (block) => `
import pg from 'pg'
const organization = process.env['ORGANIZATION'] as string
const client = new pg.Client(process.env['DATABASE_URL'])
await client.connect()
${block}
await client.end()`,
  'prisma.$transaction': (block) => `
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './application/prisma/client.ts'
const organization = process.env['ORGANIZATION'] as string
const connectionString = process.env['DATABASE_URL'] as string
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) })
${block}
await prisma.$disconnect()`,
})

export const PYTHON_PROGRAM = (block: string) => `
import json, os, psycopg
organization = os.environ["ORGANIZATION"]
connection = psycopg.connect(os.environ["DATABASE_URL"])
${block}
connection.close()`

/** The application's own table. */
export const PRISMA_SCHEMA = `
generator client {
  provider               = "prisma-client"
  output                 = "./prisma"
  importFileExtension    = "ts"
  generatedFileExtension = "ts"
}
datasource db {
  provider = "postgresql"
}
model Ticket {
  id       Int       @id
  issuedAt DateTime? @map("issued_at")
  @@map("tickets")
}`

/** A Python that has psycopg: Debian's, if the first one in PATH is another. Null if none has it. */
export function findPythonWithPsycopg(): string | null {
  const folders = `${process.env['PATH']}${path.delimiter}/usr/bin`.split(path.delimiter)
  return folders.map((folder) => path.join(folder, 'python3')).find(hasPsycopg) ?? null
}

function hasPsycopg(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import psycopg'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
