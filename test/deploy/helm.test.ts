import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import { SECRET_SETTINGS } from '../../src/config/setting-files.ts'
import { createRangeCheck, SPECIAL_PURPOSE_BLOCKS } from '../../src/outbound/public-address.ts'
import { createTestDatabase } from '../support/database.ts'
import { runProgram } from '../support/installed-program.ts'
import { needs } from '../support/left-out.ts'
import { useFolder } from '../support/use-folder.ts'

const CHART = fileURLToPath(new URL('../../deploy/helm/posthorn', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of an object.
type Manifest = any

/** Values that reach every branch of the templates. */
const EVERYTHING = {
  image: { repository: 'registry.example.com/posthorn', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  secret: {
    name: 'posthorn',
    keys: {
      directDatabaseUrl: 'direct-database-url',
      egressProxy: 'egress-proxy',
      oidcClientSecret: 'oidc-client-secret',
      smtpUrl: 'smtp-url',
      otlpHeaders: 'otlp-headers',
    },
  },
  settings: { POSTHORN_PUBLIC_URL: 'https://webhooks.example.com', OTEL_SERVICE_NAME: 'posthorn' },
  migration: {
    secretName: 'posthorn-owner',
    serviceRole: 'posthorn_service',
    dashboardsRole: 'posthorn_dashboards',
  },
  api: {
    podAnnotations: { a: 'b' },
    nodeSelector: { a: 'b' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca' }],
  networkPolicy: {
    ingressFrom: [{ podSelector: {} }],
    postgresTo: [{ ipBlock: { cidr: '10.1.2.0/24' } }],
    postgresPorts: [5432, 6432],
    deliveriesTo: [{ ipBlock: { cidr: '10.3.0.0/16' } }],
    extraEgress: [{ ports: [{ port: 4318, protocol: 'TCP' }] }],
  },
  keda: { enabled: true, secretName: 'posthorn-dashboards' },
}

const NEEDED = needs('helm', 'kubernetes-validate')

describe('the Helm chart', NEEDED, async () => {
  const folder = await useFolder('helm')
  let plain: Manifest[]
  let full: Manifest[]

  beforeAll(async () => {
    plain = await parse(await render({ secret: { name: 'posthorn' } }, 'plain'))
    full = await parse(await render(EVERYTHING, 'full'))
  })

  test('passes the linter', async () => {
    const options = ['--strict', CHART, '--values', path.join(folder, 'full.json')]
    const { code, stdout } = await runProgram('helm', ['lint', ...options])
    expect(code, stdout).toBe(0)
  })

  test.each(['1.30.0', '1.37.0'])('renders objects of Kubernetes %s', async (version) => {
    for (const name of ['plain', 'full']) {
      const options = ['--strict', '--kubernetes-version', version]
      const file = path.join(folder, `${name}.yaml`)
      const result = await runProgram('kubernetes-validate', [...options, file])
      expect(result.code, result.stdout + result.stderr).toBe(0)
      expect(result.stdout + result.stderr).toContain('deployment/posthorn-worker')
    }
  })

  test('takes the values of docs/operate/deploying.md', async () => {
    const page = await readFile(path.join(CHART, '../../../docs/operate/deploying.md'), 'utf8')
    const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => block)
    expect(blocks).toHaveLength(2)
    const file = path.join(folder, 'documented.yaml')
    await writeFile(file, blocks.join(''))
    expect(await template(file)).toContain('kind: ScaledObject')
  })

  test.each<[values: object, message: string]>([
    [{}, 'Set secret.name to a Secret with the keys database-url and encryption-keys'],
    [{ secret: { name: 'x' }, replicas: 3 }, 'replicas'],
    [{ secret: { name: 'x' }, settings: { POSTHRON_A: 'b' } }, 'POSTHRON_A'],
    ...[
      'POSTHORN_ENCRYPTION_KEYS',
      'POSTHORN_OIDC_CLIENT_SECRET',
      'OTEL_EXPORTER_OTLP_HEADERS',
    ].map((name): [object, string] => [{ secret: { name: 'x' }, settings: { [name]: 'b' } }, name]),
    [{ secret: { name: 'x' }, keda: { minReplicas: 0 } }, 'minReplicas'],
  ])('rejects %j', async (values, message) => {
    await expect(render(values, 'invalid')).rejects.toThrow(message)
  })

  test('gives the processes only settings that exist, and the secrets as files', () => {
    for (const pod of [...pods(plain), ...pods(full)]) {
      const { env, volumeMounts } = pod.containers[0]
      const names: string[] = env.map(({ name }: Manifest) => name)
      const unknown = names.filter((name) => !Object.hasOwn(SETTINGS, name.replace(/_FILE$/, '')))
      expect(unknown.filter((name) => !name.startsWith('OTEL_'))).toEqual([])
      expect(new Set(names).size).toBe(names.length)
      const [{ secret }] = pod.volumes
      const files = secret.items.map(({ path: file }: Manifest) => `/run/secrets/posthorn/${file}`)
      const given = env.filter(({ name }: Manifest) => name.endsWith('_FILE'))
      expect(given.map(({ value }: Manifest) => value).sort()).toEqual(files.sort())
      expect(volumeMounts[0]).toMatchObject({ mountPath: '/run/secrets/posthorn', readOnly: true })
      // Otherwise Kubernetes sets variables named POSTHORN_…, which Posthorn rejects.
      expect(pod.enableServiceLinks).toBe(false)
    }
    expect(pods(full).map((pod) => pod.volumes[0].secret.secretName)).toEqual([
      'posthorn',
      'posthorn',
      'posthorn-owner',
    ])
  })

  test('mounts other files into every pod', () => {
    for (const { containers, volumes } of pods(full)) {
      expect(containers[0].volumeMounts).toContainEqual(EVERYTHING.extraVolumeMounts[0])
      expect(volumes).toContainEqual(EVERYTHING.extraVolumes[0])
    }
  })

  test('can give every secret of Posthorn as a file, and the headers for a collector by reference', () => {
    const [api] = pods(full)
    const env: Manifest[] = api.containers[0].env
    const files = env.filter(({ name }) => name.endsWith('_FILE'))
    expect(files.map(({ name }) => name).sort()).toEqual(
      SECRET_SETTINGS.map((name) => `${name}_FILE`).sort(),
    )
    const headers = env.find(({ name }) => name === 'OTEL_EXPORTER_OTLP_HEADERS')
    expect(headers.valueFrom.secretKeyRef).toEqual({ name: 'posthorn', key: 'otlp-headers' })
  })

  test('runs pods of the restricted security standard, read-only', () => {
    for (const pod of pods(full)) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10_001,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(pod.automountServiceAccountToken).toBe(false)
    }
  })

  test('restarts a process that /healthz does not answer, and keeps requests from one that is not ready', () => {
    for (const { containers } of pods(full).slice(0, 2)) {
      expect(containers[0].livenessProbe.httpGet.path).toBe('/healthz')
      expect(containers[0].readinessProbe.httpGet.path).toBe('/readyz')
    }
  })

  test('leaves the number of workers to KEDA, if it is there', () => {
    const replicas = (objects: Manifest[]) =>
      objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.replicas)
    expect(replicas(plain)).toEqual([2, 2])
    expect(replicas(full)).toEqual([2, undefined])
    const [scaled] = full.filter(({ kind }) => kind === 'ScaledObject')
    expect(scaled.spec.scaleTargetRef.name).toBe('posthorn-worker')
  })

  test('lets the API and workers reach public addresses, for deliveries and challenges, and the migration not', () => {
    const policies = plain.filter(({ kind }) => kind === 'NetworkPolicy')
    const open = policies.filter(({ spec }) => JSON.stringify(spec).includes('0.0.0.0/0'))
    expect(open).toHaveLength(1)
    expect(open[0].spec.podSelector.matchExpressions).toEqual([
      { key: 'app.kubernetes.io/component', operator: 'In', values: ['api', 'worker'] },
    ])
    const components = plain.flatMap(({ spec }) =>
      spec.template ? [spec.template.metadata.labels['app.kubernetes.io/component']] : [],
    )
    expect(components.sort()).toEqual(['api', 'migration', 'worker'])
    const [base] = policies
    expect(base.spec.podSelector.matchLabels).not.toHaveProperty('app.kubernetes.io/component')
    expect(base.spec.policyTypes).toEqual(['Ingress', 'Egress'])
  })

  test('closes every IPv4 block that is not public to deliveries', () => {
    const { except } = plain
      .flatMap(({ kind, spec }) => (kind === 'NetworkPolicy' ? (spec.egress ?? []) : []))
      .flatMap(({ to = [] }) => to)
      .find(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0').ipBlock
    const isClosed = createRangeCheck(except)
    const blocks = SPECIAL_PURPOSE_BLOCKS.filter(({ block }) => !block.includes(':'))
    const open = blocks.filter(({ block }) => !isClosed(block.split('/')[0] as string))
    expect(open).toEqual([])
    expect(isClosed('1.1.1.1')).toBe(false)
  })

  test('counts overdue deliveries in SQL that runs', async () => {
    await using database = await createTestDatabase()
    const [{ spec }] = full.filter(({ kind }) => kind === 'ScaledObject')
    const count = async () =>
      (await database.pool.query(spec.triggers[0].metadata.query)).rows[0].count
    expect(await count()).toBe('0')
    await database.pool.query(
      `select graphile_worker.add_job('posthorn:deliver', run_at := now() + at)
       from unnest(array['-1 minute', '-2 seconds', '1 minute']::interval[]) as at`,
    )
    expect(await count()).toBe('1')
  })

  async function render(values: object, name: string): Promise<string> {
    const file = path.join(folder, `${name}.json`)
    await writeFile(file, JSON.stringify(values))
    const rendered = path.join(folder, `${name}.yaml`)
    await writeFile(rendered, await template(file))
    return rendered
  }

  async function template(values: string): Promise<string> {
    // Helm from its module says that it is for an old Kubernetes.
    const options = ['--kube-version', '1.30.0', '--values', values]
    const args = ['template', 'posthorn', CHART, ...options]
    const { code, stdout, stderr } = await runProgram('helm', args)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }
})

/** The pods of the API, the worker and the migration. */
function pods(objects: Manifest[]): Manifest[] {
  return objects.flatMap(({ spec }) => (spec.template ? [spec.template.spec] : []))
}

async function parse(file: string): Promise<Manifest[]> {
  const script =
    'import json, sys, yaml; print(json.dumps([o for o in yaml.safe_load_all(open(sys.argv[1])) if o]))'
  const { code, stdout, stderr } = await runProgram('python3', ['-c', script, file])
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
