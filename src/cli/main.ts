import { createProgram } from './program.ts'
import { rejectBrokenArguments } from './reject-broken-arguments.ts'

const program = await createProgram(process.argv[2])
rejectBrokenArguments(program, process.argv.slice(2))
await program.parseAsync()
