import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { ROOT } from '../../support/reader.ts'

/** What surrounds a block in the reader's own program, by a part of the block. */
export function programOf(block: string, port: number): string {
  const found = PROGRAMS.find(({ part }) => block.includes(part))
  if (!found) throw new Error(`No program has this block:\n${block}`)
  return found.program(block, port)
}

const PROGRAMS = [
  {
    part: "from 'node:http'",
    program: (block: string, port: number) => `
${block.replace(/'@?posthorn\/receiver'/, `'${ROOT}src/receiver/index.ts'`).replace('listen(3000)', `listen(${port})`)}
async function acceptOnce(id: string, event: unknown): Promise<void> {
  console.log(id, JSON.stringify(event))
}`,
  },
  {
    part: "from '@posthorn/client'",
    program: (block: string) =>
      block.replace("'@posthorn/client'", `'${ROOT}packages/client/src/index.ts'`),
  },
  {
    part: 'client.query',
    program: (block: string) => `
import pg from 'pg'
const organization = process.env['ORGANIZATION'] as string
const client = new pg.Client(process.env['DATABASE_URL'])
await client.connect()
${block}
await client.end()`,
  },
  {
    part: 'prisma.$transaction',
    program: (block: string) => `
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from './prisma/client.ts'
const organization = process.env['ORGANIZATION'] as string
const connectionString = process.env['DATABASE_URL'] as string
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString }) })
${block}
await prisma.$disconnect()`,
  },
]

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

export const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'esnext',
    module: 'nodenext',
    types: ['node'],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
})

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
