import { DISCORD } from './discord.ts'
import { GOOGLE_CHAT } from './google-chat.ts'
import { MICROSOFT_TEAMS } from './microsoft-teams.ts'
import { PAGERDUTY } from './pagerduty.ts'
import type { Preset } from './preset.ts'
import { SLACK } from './slack.ts'

export const PRESETS: readonly Preset[] = [SLACK, MICROSOFT_TEAMS, DISCORD, GOOGLE_CHAT, PAGERDUTY]
