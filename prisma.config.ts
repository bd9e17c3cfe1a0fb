import { defineConfig } from 'prisma/config'

/** For those who run the `prisma` command themselves; Posthorn migrates on its own. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgres://unset' },
  // Written and read by plain SQL alone.
  experimental: { externalTables: true },
  tables: {
    external: [
      'posthorn.alert_mails',
      'posthorn.cursors',
      'posthorn.event_keys',
      'posthorn.event_streams',
      'posthorn.exhausted_deliveries',
      'posthorn.fan_outs',
      'posthorn.filtered_events',
      'posthorn.published_batches',
      'posthorn.reported_states',
      'posthorn.sent_mails',
      'posthorn.sessions',
      'posthorn.settings',
      'posthorn.sign_in_links',
      'posthorn.unkept_payloads',
      'posthorn.webhook_conditions',
      'posthorn.webhook_holds',
      'posthorn.webhook_schedules',
      'posthorn.webhook_statistics',
      'posthorn.workers',
    ],
  },
})
