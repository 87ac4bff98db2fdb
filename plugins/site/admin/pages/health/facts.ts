import { statfs } from 'node:fs/promises'
import { release, type } from 'node:os'
import { hideCredentials } from '../../../../library/secrets/index.ts'
import { folderSize } from '../../../../library/long-work/index.ts'
import { ownVersion } from '../../../../operations/installed-plugins/index.ts'
import { databaseSize, databaseVersion } from '../../../../storage/store/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { sizeText } from '../../parts/size-text.ts'

/** Facts about one part of the site: labels and values in the language of the user. */
export interface FactGroup {
  readonly title: string
  readonly facts: readonly (readonly [label: string, value: string])[]
}

/** Maximum number of errors of failed jobs on the page. */
const MAX_ERRORS = 10
/** Maximum characters of such an error. */
const MAX_ERROR_LENGTH = 500

/** Returns the facts about the site and its server. */
export async function factsOf(view: AdminView): Promise<readonly FactGroup[]> {
  const { t, plugin } = view
  const [software, storage, jobs] = await Promise.all([softwareFacts(view), storageFacts(view), jobFacts(view)])
  return [
    { title: t('Software'), facts: software },
    { title: t('Storage'), facts: storage },
    ...(plugin.has('jobs') ? [{ title: t('Jobs'), facts: jobs }] : []),
    { title: t('Cache and mail'), facts: cacheFacts(view) },
  ]
}

async function softwareFacts(view: AdminView): Promise<FactGroup['facts']> {
  const { t, plugin, words } = view
  const { services, config, urls, worker } = plugin
  const added = plugin.running().flatMap(({ name, isDefault }) => (isDefault ? [] : [name]))
  const { rss } = process.memoryUsage()
  return [
    [t('Site address (URL)'), urls.home],
    [t('Version of the server'), ownVersion()],
    [t('REST API revision'), config.revision],
    ['Node.js', process.version],
    [t('Operating system'), `${type()} ${release()} (${process.arch})`],
    [t('Database'), await databaseVersion(services.store)],
    [t('Plugins from the config'), added.length === 0 ? t('None') : added.join(', ')],
    [t('Workers'), String(worker.count)],
    [t('Memory of this process'), sizeText(rss, words.language)],
  ]
}

async function storageFacts(view: AdminView): Promise<FactGroup['facts']> {
  const { t, count, plugin } = view
  const { uploads } = plugin.config
  const size = (bytes: number) => sizeText(bytes, view.words.language)
  const [database, files, free] = await Promise.all([
    databaseSize(plugin.services.store),
    folderSize(uploads).then((found) => found ?? { bytes: 0, files: 0, more: false }),
    freeOn(uploads),
  ])
  const counted = count(files.files, '1 file', '{count} files')
  const all = t('{size} in {files}', { size: size(files.bytes), files: counted })
  return [
    [t('Size of the database'), size(database)],
    [t('Uploads'), files.more ? t('more than {size}', { size: all }) : all],
    [t('Folder of uploads'), uploads],
    [t('Free space'), free === null ? t('Unknown') : size(free)],
  ]
}

async function jobFacts({ t, plugin }: AdminView): Promise<FactGroup['facts']> {
  if (!plugin.has('jobs')) return []
  const all = await plugin.services.jobs.list()
  const numberOf = (state: (typeof all)[number]['state']) => String(all.filter((job) => job.state === state).length)
  const failed = all.filter(({ error }) => error !== '').slice(0, MAX_ERRORS)
  return [
    [t('jobs|Waiting'), numberOf('waiting')],
    [t('jobs|Running'), numberOf('running')],
    [t('jobs|Failed'), numberOf('dead')],
    ...failed.map(
      ({ name, error }) =>
        [t('Error of {job}', { job: name }), hideCredentials(error).slice(0, MAX_ERROR_LENGTH)] as const,
    ),
  ]
}

function cacheFacts({ t, plugin, words }: AdminView): FactGroup['facts'] {
  const cache = plugin.running().find(({ name }) => name === 'response-cache')
  const options = new Map(cache?.details().options.map(({ name, value }) => [name, value]))
  const isOn = options.get('enabled') === true
  const bytes = Number(options.get('bytes')) || 0
  return [
    [
      t('Cache of responses'),
      isOn ? t('On, up to {size} per process', { size: sizeText(bytes, words.language) }) : t('Off'),
    ],
    [t('Mail'), t('No mail is sent.')],
  ]
}

/** Returns the free bytes of the disk; null if unknown. */
async function freeOn(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
}
