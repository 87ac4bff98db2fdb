import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog, describeHooks, HookRegistry } from '../../../bin/config/index.ts'
import {
  action,
  applyFilter,
  applySyncFilter,
  filter,
  isThenable,
  Owner,
  RestError,
  runAction,
  syncFilter,
  type Action,
  type Filter,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { kernelHooks } from '../../../kernel/hooks.ts'
import { Advisor } from '../../../plugins/library/advice/advisor.ts'
import { resourceHooks } from '../../../plugins/resources/hooks.ts'
import { bare, plugin } from '../bare.ts'
import { failureOf } from '../failure.ts'

const hooks = suite('hooks')

const advice = new Advisor(createLog('silent'), [], [])

/** Creates a registry with one hook of each kind. */
function registry() {
  const hooks = new HookRegistry('svc', { ...kernelHooks, ...resourceHooks })
  hooks.missing = advice.missingHook
  hooks.declare('test_text', syncFilter('text', 'suffix'))
  hooks.declare('test_late_text', filter('text', 'suffix'))
  hooks.declare('test_happened', action('what'))
  hooks.declare('test_*_shown', syncFilter('text'))
  return hooks
}

type Text = SyncFilter<string, [suffix: string]>
type LateText = Filter<string, [suffix: string]>
const text = (hooks: HookRegistry) => hooks.find('test_text') as Text
const lateText = (hooks: HookRegistry) => hooks.find('test_late_text') as LateText

/** Runs `work` as a plugin with this name. */
const asPlugin = (name: string, work: () => void) => new Owner(name, undefined, false, advice).run(work)

hooks('a value passes through the taps in order of stage, then of registration', () => {
  const all = registry()
  text(all).tap({ name: 'last', stage: 10 }, (value) => `${value}3`)
  text(all).tap('second', (value) => `${value}1`)
  text(all).tap('third', (value) => `${value}2`)
  text(all).tap({ name: 'first', stage: -10 }, (value, suffix) => `${value}${suffix}`)
  assert.is(applySyncFilter(text(all), 'a', '0'), 'a0123')
})

hooks('a tap that returns or resolves with undefined leaves the value unchanged', async () => {
  const all = registry()
  text(all).tap('looks', () => {})
  assert.is(applySyncFilter(text(all), 'a', ''), 'a')
  lateText(all).tapPromise('looks', async () => {})
  assert.is(await applyFilter(lateText(all), 'a', ''), 'a')
})

hooks('`before` runs a tap before the named tap', () => {
  const all = registry()
  text(all).tap('one', (value) => `${value}1`)
  text(all).tap({ name: 'zero', before: 'one' }, (value) => `${value}0`)
  assert.is(applySyncFilter(text(all), '', ''), '01')
})

hooks('`before` with an unknown tap is an error that names the tap', async () => {
  const all = registry()
  const error = await failureOf(() =>
    asPlugin('a', () => text(all).tap({ name: 'a', before: 'corss' }, (value) => value)),
  )
  assert.is(error.code, 'HOOK_TAP_UNKNOWN')
  assert.match(error.message, 'corss')
  assert.is(text(all).taps.length, 0)
})

hooks('a filter returns a promise only if a tap waits', async () => {
  const all = registry()
  lateText(all).tap('now', (value) => `${value}1`)
  assert.is(applyFilter(lateText(all), 'a', ''), 'a1')
  lateText(all).tapPromise('later', async (value) => `${value}2`)
  const later = applyFilter(lateText(all), 'a', '')
  assert.ok(isThenable(later))
  assert.is(await later, 'a12')
})

hooks('an action waits for its asynchronous taps', async () => {
  const all = registry()
  const happened: string[] = []
  const hook = all.find('test_happened') as Action<[what: string]>
  hook.tapPromise('slow', async (value) => {
    await turn()
    happened.push(value)
  })
  await runAction(hook, 'this')
  assert.equal(happened, ['this'])
})

hooks('the member of a family is the same hook by its full name and by for()', () => {
  const all = registry()
  const members = all.find('test_shown') as unknown as { for(key: string): unknown }
  assert.is(all.find('test_post_shown'), members.for('post'))
  assert.is(all.hooks['rest_prepare_post'], all.hooks.rest_prepare.for('post'))
  assert.is(all.hooks['rest_post_item_schema'], all.hooks.rest_item_schema.for('post'))
})

hooks('an undeclared name is an error that suggests the most similar name', async () => {
  const error = await failureOf(() => registry().find('rest_post_dispach'))
  assert.is(error.code, 'HOOK_UNKNOWN')
  assert.match(error.message, 'did you mean rest_post_dispatch')
})

hooks('names with the word of the branding can be written with `svc`, too', () => {
  const all = new HookRegistry('wp', { ...kernelHooks, ...resourceHooks })
  assert.is(all.find('wp_rest_server_class'), all.find('svc_rest_server_class'))
  assert.is(all.find('wp_rest_server_class'), all.hooks.svc_rest_server_class)
})

hooks('two owners cannot declare the same hook', async () => {
  const all = registry()
  const error = await failureOf(() => asPlugin('other', () => all.declare('test_text', syncFilter('text'))))
  assert.is(error.code, 'HOOK_TAKEN')
})

hooks('a synchronous hook refuses tapPromise and tapAsync', async () => {
  const all = registry()
  const hook = text(all) as unknown as LateText
  const error = await failureOf(() => asPlugin('eager', () => hook.tapPromise('eager', async () => 'x')))
  assert.is(error.code, 'HOOK_SYNC_ONLY')
  assert.match(error.message, 'eager')
})

hooks('a promise returned by a tap of tap() is an error, and its rejection is not lost', async () => {
  const all = registry()
  asPlugin('careless', () => {
    // oxlint-disable-next-line typescript/no-misused-promises -- the mistake under test
    lateText(all).tap('careless', (async () => Promise.reject(new Error('lost'))) as never)
  })
  const error = await failureOf(() => applyFilter(lateText(all), 'a', ''))
  assert.is(error.code, 'HOOK_TAP_NOT_AWAITED')
  assert.match(error.message, 'careless')
})

hooks('an interceptor added after a run sees the next run', async () => {
  const all = registry()
  const hook = lateText(all)
  asPlugin('press', () => hook.tap('press', (value) => `${value}!`))
  assert.is(applyFilter(hook, 'a', ''), 'a!')
  const seen: string[] = []
  hook.intercept({ call: (value) => void seen.push(value) })
  assert.is(await applyFilter(hook, 'b', ''), 'b!')
  assert.equal(seen, ['b'])
})

hooks('isUsed is true while a hook has taps or interceptors', () => {
  const all = registry()
  assert.not(lateText(all).isUsed())
  lateText(all).tap('press', (value) => `${value}!`)
  assert.ok(lateText(all).isUsed())
  all.untap('test_late_text', 'press')
  assert.not(lateText(all).isUsed())
  lateText(all).intercept({ call: () => {} })
  assert.ok(lateText(all).isUsed())
})

hooks('an interceptor sees the taps and the result of every kind of hook', async () => {
  const all = registry()
  const hook = lateText(all)
  asPlugin('press', () => {
    hook.tap('now', (value) => `${value}1`)
    hook.tapPromise('later', async (value) => `${value}2`)
    hook.tapAsync('called', (value, _suffix, done) => done(null, `${value}3`))
  })
  const seen: unknown[] = []
  hook.intercept({ tap: ({ name }) => void seen.push(name), result: (result) => void seen.push(result) })
  assert.is(await applyFilter(hook, 'a', ''), 'a123')
  assert.equal(seen, ['now', 'later', 'called', 'a123'])
  const now: unknown[] = []
  text(all).tap('now', (value) => `${value}1`)
  text(all).intercept({ result: (result) => void now.push(result) })
  assert.is(applySyncFilter(text(all), 'b', ''), 'b1')
  assert.equal(now, ['b1'])
})

hooks('promise() resolves with the value of a filter, and rejects with the error of a tap', async () => {
  const all = registry()
  const hook = lateText(all)
  const owner = new Owner('press')
  owner.run(() => {
    hook.tapPromise({ name: 'last', stage: 10 }, async (value) => `${value}2`)
    hook.tap('first', (value, suffix) => `${value}${suffix}1`)
  })
  assert.is(await hook.promise('a', '-'), 'a-12')
  hook.tap('fails', () => {
    throw new Error('no ink')
  })
  const failed = await hook.promise('c', '').catch((error: Error) => error)
  assert.is((failed as Error).message, 'kernel failed in hook test_late_text.')
  await owner.remove()
  assert.equal(
    hook.taps.map(({ name }) => name),
    ['fails'],
  )
})

hooks('a family that is declared again has new members', async () => {
  const all = registry()
  const families = all.hooks as unknown as Record<string, { for(name: string): SyncFilter<string> }>
  const declare = () => {
    const owner = new Owner('garden')
    owner.run(() => all.declare('garden_*', syncFilter('text')))
    return owner
  }
  const first = declare()
  const before = families['garden']!.for('tree')
  await first.remove()
  assert.is((await failureOf(() => families['garden'])).code, 'HOOK_UNKNOWN')
  declare()
  assert.is.not(families['garden']!.for('tree'), before)
  assert.is(families['garden']!.for('tree'), all.find('garden_tree'))
})

hooks('a tap that waits for some values only makes only these runs asynchronous', async () => {
  const all = registry()
  const hook = lateText(all)
  asPlugin('press', () => {
    hook.tapPromise('press', (value) => (value === 'slow' ? Promise.resolve('at last') : `${value}!`))
  })
  assert.is(applyFilter(hook, 'quick', ''), 'quick!')
  assert.is(await applyFilter(hook, 'slow', ''), 'at last')
  assert.is(await (hook as unknown as { promise(...args: string[]): Promise<string> }).promise('quick', ''), 'quick!')
})

for (const kind of ['tap', 'tapPromise', 'tapAsync'] as const) {
  hooks(`the error of a failing ${kind} has plugin, hook and cause, also after a waiting tap`, async () => {
    const all = registry()
    const hook = lateText(all)
    const fail = () => {
      throw new Error('no ink')
    }
    asPlugin('printer', () => {
      if (kind === 'tap') hook.tap('print', fail)
      else if (kind === 'tapPromise') hook.tapPromise('print', fail)
      else hook.tapAsync('print', fail)
    })
    for (const waits of [false, true]) {
      if (waits) hook.tapPromise({ name: 'waits', stage: -1 }, async (value) => value)
      const error = await failureOf(() => applyFilter(hook, 'a', ''))
      assert.is(error.code, 'TAP_FAILED')
      assert.is(error.message, 'printer failed in hook test_late_text.')
      assert.is((error.cause as Error).message, 'no ink')
    }
  })
}

hooks('a RestError for clients passes through a hook unchanged', async () => {
  const all = registry()
  const refusal = new RestError('rest_refused', 'No.', { status: 403 })
  text(all).tap('refuses', () => {
    throw refusal
  })
  assert.is(await failureOf(() => applySyncFilter(text(all), 'a', '')), refusal)
})

hooks('a run continues with the taps that it started with, even if one is removed', () => {
  const all = registry()
  text(all).tap('remover', (value) => {
    all.untap('test_text', 'one')
    return value
  })
  text(all).tap('one', (value) => `${value}1`)
  text(all).tap('two', (value) => `${value}2`)
  assert.is(applySyncFilter(text(all), '', ''), '12')
  assert.is(applySyncFilter(text(all), '', ''), '2')
  assert.is(all.untap('test_text', 'one'), 0)
})

hooks('the taps and the hooks of an owner are removed with it', async () => {
  const all = registry()
  const owner = new Owner('guest')
  owner.run(() => {
    all.declare('guest_value', syncFilter('value'))
    text(all).tap('guest', (value) => `${value}!`)
  })
  assert.is(applySyncFilter(text(all), 'a', ''), 'a!')
  await owner.remove()
  assert.is(applySyncFilter(text(all), 'a', ''), 'a')
  assert.is((await failureOf(() => all.find('guest_value'))).code, 'HOOK_UNKNOWN')
  assert.equal(owner.owned(), [])
})

hooks('describeHooks lists each hook with its owner and its taps in order', () => {
  const all = registry()
  asPlugin('late', () => text(all).tap({ name: 'b', stage: 5 }, (value) => value))
  asPlugin('early', () => text(all).tap('a', (value) => value))
  asPlugin('early', () => (all.find('test_page_shown') as SyncFilter<string>).tap('p', (value) => value))
  const listed = describeHooks(all).map((hook) => ({
    ...hook,
    taps: hook.taps.map((tap) => ({ ...tap, at: tap.at?.replace(/^.*\/|:\d+:\d+$/g, '') })),
  }))
  assert.equal(
    listed.find(({ name }) => name === 'test_text'),
    {
      name: 'test_text',
      kind: 'sync filter',
      args: ['text', 'suffix'],
      owner: 'kernel',
      family: null,
      taps: [
        { name: 'a', plugin: 'early', stage: 0, at: 'hooks.test.ts' },
        { name: 'b', plugin: 'late', stage: 5, at: 'hooks.test.ts' },
      ],
    },
  )
  assert.equal(listed.find(({ name }) => name === 'test_page_shown')?.taps.length, 1)
})

hooks(
  'S42: a tap that returns a value of the wrong type fails the request with an error that names the tap',
  async () => {
    for (const [hook, wrong] of [
      ['rest_post_dispatch', 'text'],
      ['determine_current_user', { name: 'x' }],
      ['rest_pre_serve_request', 1],
      ['rest_encoded_response', 1],
    ] as const) {
      for (const method of ['tap', 'tapPromise'] as const) {
        if (method === 'tapPromise' && hook === 'rest_encoded_response') continue
        const corrupting = plugin('corrupting', ({ hooks: all }) => {
          const tapped = all[hook] as unknown as Record<string, (name: string, tap: () => unknown) => void>
          tapped[method]!('corrupting', method === 'tap' ? () => wrong : async () => wrong)
        })
        await using site = await bare([corrupting])
        const { status, json } = await site.raw('/svc-json/nope')
        assert.equal([status, json.code], [500, 'rest_internal_error'], hook)
        assert.match(JSON.stringify(site.lines), `The tap of corrupting on ${hook}`)
        assert.is((await site.raw('/svc-json/nope')).status, 500)
      }
    }
  },
)

hooks('untap removes the taps of another plugin while requests are in progress', async () => {
  const marking = plugin('marking', ({ hooks: all }) => {
    all.rest_post_dispatch.tap('mark', (response) => {
      response.headers.set('X-Mark', '1')
      return response
    })
  })
  const removing = plugin('removing', ({ hooks: all, untap }) => {
    all.rest_post_dispatch.tap({ name: 'remove', stage: -1 }, (response, _server, request) => {
      if (request.query['remove'] === '1') response.headers.set('X-Removed', untap('rest_post_dispatch', 'mark'))
      return response
    })
  })
  await using site = await bare([marking, removing])
  const marks = async (query: string) => {
    const { headers } = await site.raw(`/svc-json/nope${query}`)
    return [headers['x-mark'], headers['x-removed']]
  }
  assert.equal(await marks(''), ['1', undefined])
  assert.equal(await marks('?remove=1'), ['1', '1'])
  assert.equal(await marks('?remove=1'), [undefined, '0'])
})

hooks.run()
