import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestRequest } from '../../../../kernel/index.ts'
import * as deprecated from '../../../../plugins/deprecated.ts'
import { collectDependencies, VersionedCache } from '../../../../plugins/library/caching/index.ts'
import {
  addDeprecatedMembers,
  deprecatedAlias,
  deprecatedObject,
  renameDeprecatedKeys,
} from '../../../../plugins/library/deprecated-names/index.ts'
import { serve } from '../../../helpers/site.ts'

const names = suite('deprecated names')

/** Returns the messages of the deprecation warnings that `use` causes. */
async function warningsOf(use: () => unknown): Promise<string[]> {
  const messages: string[] = []
  const onWarning = ({ name, message }: Error) => {
    if (name === 'DeprecationWarning') messages.push(message)
  }
  // The default listener prints warnings.
  const others = process.listeners('warning')
  process.removeAllListeners('warning').on('warning', onWarning)
  try {
    await use()
    // Node emits warnings in the next tick, in order.
    const last = once(process, 'warning')
    process.emitWarning('the last one')
    await last
  } finally {
    process.off('warning', onWarning)
    for (const other of others) process.on('warning', other)
  }
  return messages
}

names('of functions work, and warn once with the new name', async () => {
  const pour = deprecatedAlias('water', 'pour', (liters: number) => liters * 2)
  const warnings = await warningsOf(() => {
    assert.is(pour(2), 4)
    assert.is(pour(3), 6)
  })
  assert.equal(warnings, ['water is deprecated. Use pour instead.'])
})

names('of objects have the same properties, and warn once when one is read', async () => {
  const limits = deprecatedObject('BIG', 'LARGE_LIMITS', { text: 7 })
  const warnings = await warningsOf(() => {
    assert.is(limits.text, 7)
    assert.equal({ ...limits }, { text: 7 })
  })
  assert.equal(warnings, ['BIG is deprecated. Use LARGE_LIMITS instead.'])
})

names('of members work on all objects of a class, and warn once for all of them', async () => {
  class Can {
    readonly #liters: number
    constructor(liters: number) {
      this.#liters = liters
    }

    pour(): number {
      return this.#liters
    }
  }
  addDeprecatedMembers(Can.prototype, 'can', { water: 'pour' })
  const cans = [new Can(1), new Can(2)] as (Can & { water(): number })[]
  const warnings = await warningsOf(() =>
    assert.equal(
      cans.map((can) => can.water()),
      [1, 2],
    ),
  )
  assert.equal(warnings, ['can.water is deprecated. Use pour instead.'])
  assert.equal(Object.keys(Can.prototype), [])
})

names('of option keys are renamed, and warn once', async () => {
  const rename = (options: object) => renameDeprecatedKeys<{ size?: number }>(options, 'CanSpec', { most: 'size' })
  const warnings = await warningsOf(() => {
    assert.equal(rename({ most: 3, color: 'red' }), { size: 3, color: 'red' })
    assert.equal(rename({ most: 3, size: 4 }), { size: 4 })
    assert.equal(rename({ size: 5 }), { size: 5 })
  })
  assert.equal(warnings, ['CanSpec.most is deprecated. Use size instead.'])
})

names('of svc-rest and of requests work, and warn once each', async () => {
  const request = RestRequest.fromPath('/svc/v2/posts?page=2')
  const later = Date.now() + 60_000
  const warnings = await warningsOf(() => {
    for (let round = 0; round < 2; round += 1) {
      assert.is(request.given('page'), true)
      assert.equal({ ...request.givenParams() }, { page: '2' })
      collectDependencies((dependencies) => {
        request.keepUntil(later + 2)
        assert.is(dependencies.until, later + 2)
        deprecated.keepUntil(later + 1)
        dependencies.keepUntil(later)
        assert.is(dependencies.until, later)
        deprecated.doNotKeepPart('too long')
        assert.is(dependencies.partRefusal, 'too long')
        deprecated.doNotKeep('random')
        assert.is(dependencies.refusal, 'random')
      })
      collectDependencies((dependencies) => {
        request.doNotKeep('it is rolled')
        deprecated.keepBriefly()
        assert.is(dependencies.refusal, 'it is rolled')
        assert.is(dependencies.hasFailed, true)
      })
      assert.is(deprecated.LONG_TEXTS.text, 1_048_576)
      assert.is(deprecated.TEXTS_OF_ANY_LENGTH.text, Infinity)
    }
  })
  assert.equal(
    warnings.map((message) => message.replace(/ is deprecated\. Use (\w+) instead\./, ': $1')),
    [
      'request.given: hasParam',
      'request.givenParams: requestParams',
      'request.keepUntil: cacheUntil',
      'keepUntil: cacheUntil',
      'dependencies.keepUntil: cacheUntil',
      'doNotKeepPart: doNotCachePart',
      'doNotKeep: doNotCache',
      'request.doNotKeep: preventCaching',
      'keepBriefly: cacheBriefly',
      'LONG_TEXTS: LONG_TEXT_LIMITS',
      'TEXTS_OF_ANY_LENGTH: UNLIMITED_TEXT',
    ],
  )
})

/** Deprecated members of services: service, old name, new name. */
const MEMBERS = [
  ['capabilities', 'know', 'setRegistries'],
  ['changeHistory', 'keepFrom', 'retainFrom'],
  ['compression', 'least', 'minBytes'],
  ['contentTypes', 'served', 'routeOwners'],
  ['fieldIndex', 'askedBy', 'conditionsOf'],
  ['loginAttempts', 'giveBack', 'refund'],
  ['loginAttempts', 'knows', 'isKnown'],
  ['loginAttempts', 'succeeded', 'recordSuccess'],
  ['loginAttempts', 'take', 'consume'],
  ['menus', 'shown', 'itemsOf'],
  ['menus', 'stored', 'storedItem'],
  ['permalinks', 'know', 'prime'],
  ['posts', 'opens', 'checkPassword'],
  ['posts', 'past', 'postsAt'],
  ['taxonomies', 'served', 'routeOwners'],
] as const

names('of VersionedCache work, and warn once each', async () => {
  const versions = { state: () => 1, unchanged: () => true }
  const warnings = await warningsOf(() => {
    for (let round = 0; round < 2; round += 1) {
      const cache = new VersionedCache<string, number>(versions, { most: 1, tagsOf: () => [] })
      cache.keep('first', 1, cache.begin())
      cache.keep('second', 2, cache.begin())
      assert.equal([cache.get('first'), cache.get('second')], [undefined, 2])
    }
  })
  assert.equal(warnings, [
    'CachedKind.most is deprecated. Use maxEntries instead.',
    'VersionedCache.keep is deprecated. Use set instead.',
  ])
})

names('of services are the renamed members, and warn once each', async () => {
  const hasBeenCached: unknown[] = []
  const old = definePlugin({
    name: 'old',
    needs: ['settings', 'request-hooks'],
    apply({ hooks, services }) {
      hooks.response_sent.tap('old', ({ kept }) => void hasBeenCached.push(kept))
      services.settings.register('garden_page', { type: 'integer', names: { type: 'page' } })
      services.settings.register('shop_page', { type: 'integer', names: { type: 'page' } })
    },
  })
  const warnings = await warningsOf(async () => {
    await using site = await serve({ add: [old] })
    const { services } = site.kernel
    const all = services as unknown as Record<string, Record<string, unknown>>
    for (const [service, oldName, newName] of [...MEMBERS, ...MEMBERS])
      assert.ok(all[service]![oldName] === all[service]![newName], `${service}.${oldName}`)
    assert.equal(services.settings.get('garden_page')!.refersTo, { type: 'page' })
    await site.json('/svc/v2/posts')
    await site.json('/svc/v2/posts')
  })
  assert.equal(hasBeenCached, [false, true])
  assert.equal(warnings.toSorted(), [
    'SentResponse.kept is deprecated. Use fromCache instead.',
    'SettingSpec.names is deprecated. Use refersTo instead.',
    ...MEMBERS.map(
      ([service, oldName, newName]) => `services.${service}.${oldName} is deprecated. Use ${newName} instead.`,
    ),
  ])
})

names.run()
