import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { serve, type ServeOptions, startOnly } from '../../helpers/site.ts'

startOnly('deprecation')

const deprecation = suite('deprecation')

/** A route that uses what `?use=` names. */
const old = definePlugin({
  name: 'old',
  needs: ['deprecation'],
  apply({ hooks, services: { deprecation: tell } }) {
    const uses: Record<string, () => void> = {
      function: () => tell.deprecatedFunction('get_old', '4.7', 'get_new'),
      'function-alone': () => tell.deprecatedFunction('get_old', '4.7'),
      param: () => tell.deprecatedParam('/old/v1/it', '5.0', 'Use b.'),
      'param-alone': () => tell.deprecatedParam('/old/v1/it', '5.0'),
      strange: () => tell.deprecatedFunction('a\r\nb', '1', 'ü\u{1f600}'),
    }
    hooks.rest_api_init.tap('old', (server) => {
      server.registerRoute('old/v1', 'it', {
        permission_callback: () => true,
        callback: async (request) => {
          const names = (request.get('use') as string).split(',')
          for (const name of names) {
            await turn()
            uses[name]?.()
          }
          return null
        },
      })
    })
    // Not while a request is answered: told to nobody.
    uses['function']!()
  },
})

async function headersOf(options: ServeOptions, use: string): Promise<Record<string, string | null>> {
  await using site = await serve({ add: [old], ...options })
  const { headers, status } = await site.get(`/old/v1/it?use=${use}`)
  assert.is(status, 200)
  const [called, param] = ['DeprecatedFunction', 'DeprecatedParam'].map((name) =>
    headers.get(site.kernel.branding.header(name)),
  )
  return { function: called ?? null, param: param ?? null }
}

const debug = { debug: true }

deprecation('tells of a function and what to use instead (4.7)', async () => {
  assert.equal(await headersOf(debug, 'function'), {
    function: 'get_old (since 4.7; use get_new instead)',
    param: null,
  })
})

deprecation('tells of a function without an alternative (4.7)', async () => {
  assert.equal((await headersOf(debug, 'function-alone')).function, 'get_old (since 4.7; no alternative available)')
})

deprecation('tells of a parameter with its message, or without one (4.7)', async () => {
  assert.equal(await headersOf(debug, 'param'), { function: null, param: '/old/v1/it (since 5.0; Use b.)' })
  assert.equal((await headersOf(debug, 'param-alone')).param, '/old/v1/it (since 5.0; no alternative available)')
})

deprecation('tells of everything that a request used, each once', async () => {
  const { function: called, param } = await headersOf(debug, 'function,param,function,function-alone')
  assert.is(called, 'get_old (since 4.7; use get_new instead), get_old (since 4.7; no alternative available)')
  assert.is(param, '/old/v1/it (since 5.0; Use b.)')
})

deprecation('sends headers in debug mode alone, unless it always does', async () => {
  assert.equal(await headersOf({}, 'function,param'), { function: null, param: null })
  const always = await headersOf({ plugins: { deprecation: { always: true } } }, 'function')
  assert.is(always.function, 'get_old (since 4.7; use get_new instead)')
})

deprecation('writes a log line in debug mode', async () => {
  const lines: string[] = []
  await headersOf({ debug: true, log: 'warn', logTo: (line: string) => void lines.push(line) }, 'param')
  const told = lines.map((line) => JSON.parse(line) as { header?: string; value?: string })
  assert.ok(
    told.some(({ header, value }) => header === 'DeprecatedParam' && value === '/old/v1/it (since 5.0; Use b.)'),
  )
})

deprecation('sends nothing that a header cannot carry', async () => {
  assert.is((await headersOf(debug, 'strange')).function, 'a%0D%0Ab (since 1; use %C3%BC%F0%9F%98%80 instead)')
})

deprecation('keeps requests under way at the same time apart', async () => {
  await using site = await serve({ add: [old], debug: true, log: 'silent' })
  const name = site.kernel.branding.header('DeprecatedFunction')
  const told = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const use = ['function', 'function-alone', ''][index % 3]!
      return [use, (await site.get(`/old/v1/it?use=${use}`)).headers.get(name)] as const
    }),
  )
  for (const [use, value] of told) {
    assert.is(
      value,
      {
        function: 'get_old (since 4.7; use get_new instead)',
        'function-alone': 'get_old (since 4.7; no alternative available)',
      }[use] ?? null,
    )
  }
})

deprecation('fires hooks for those who want to know', async () => {
  const happened: unknown[] = []
  const watching = definePlugin({
    name: 'watching',
    needs: ['deprecation'],
    apply({ hooks }) {
      hooks.deprecated_function_run.tap('watching', (...args) => void happened.push(args))
      hooks.deprecated_argument_run.tap('watching', (...args) => void happened.push(args))
    },
  })
  await using site = await serve({ add: [watching] })
  site.kernel.services.deprecation.deprecatedFunction('f', '1')
  site.kernel.services.deprecation.deprecatedParam('p', '2', 'Leave it.')
  assert.equal(happened, [
    ['f', null, '1'],
    ['p', 'Leave it.', '2'],
  ])
})

deprecation.run()
