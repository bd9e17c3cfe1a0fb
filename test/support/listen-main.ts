import { Command } from 'commander'
import { registerListen } from '../../src/cli/listen.ts'

const program = new Command('posthorn')
registerListen(program)
await program.parseAsync()
