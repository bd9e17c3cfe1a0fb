import { ConfigError, loadConfig } from '../../src/config/config.ts'

/** What is wrong with these settings; nothing if they are accepted. */
export function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
