import { setImmediate as turn } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { serve, type ServeOptions, startOnly } from '../../helpers/site.ts'

startOnly('deprecation')

const deprecation = suite('deprecation')

/** A route with the deprecated uses listed in `?use=`. */
const old = definePlugin({
  name: 'old',
  needs: ['deprecation'],
  apply({ hooks, services: { deprecation: service } }) {
    const uses: Record<string, () => void> = {
      function: () => service.deprecatedFunction('get_old', '4.7', 'get_new'),
      'function-alone': () => service.deprecatedFunction('get_old', '4.7'),
      param: () => service.deprecatedParam('/old/v1/it', '5.0', 'Use b.'),
      'param-alone': () => service.deprecatedParam('/old/v1/it', '5.0'),
      strange: () => service.deprecatedFunction('a\r\nb', '1', 'ü\u{1f600}'),
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
    // Outside of a request: sent with no response.
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

deprecation('reports a function and its replacement (4.7)', async () => {
  assert.equal(await headersOf(debug, 'function'), {
    function: 'get_old (since 4.7; use get_new instead)',
    param: null,
  })
})

deprecation('reports a function without a replacement (4.7)', async () => {
  assert.equal((await headersOf(debug, 'function-alone')).function, 'get_old (since 4.7; no alternative available)')
})

deprecation('reports a parameter with and without a message (4.7)', async () => {
  assert.equal(await headersOf(debug, 'param'), { function: null, param: '/old/v1/it (since 5.0; Use b.)' })
  assert.equal((await headersOf(debug, 'param-alone')).param, '/old/v1/it (since 5.0; no alternative available)')
})

deprecation('reports each deprecated use of a request once', async () => {
  const { function: called, param } = await headersOf(debug, 'function,param,function,function-alone')
  assert.is(called, 'get_old (since 4.7; use get_new instead), get_old (since 4.7; no alternative available)')
  assert.is(param, '/old/v1/it (since 5.0; Use b.)')
})

deprecation('sends headers in debug mode only, unless always is set', async () => {
  assert.equal(await headersOf({}, 'function,param'), { function: null, param: null })
  const always = await headersOf({ plugins: { deprecation: { always: true } } }, 'function')
  assert.is(always.function, 'get_old (since 4.7; use get_new instead)')
})

deprecation('logs in debug mode', async () => {
  const lines: string[] = []
  await headersOf({ debug: true, log: 'warn', logTo: (line: string) => void lines.push(line) }, 'param')
  const reported = lines.map((line) => JSON.parse(line) as { header?: string; value?: string })
  assert.ok(
    reported.some(({ header, value }) => header === 'DeprecatedParam' && value === '/old/v1/it (since 5.0; Use b.)'),
  )
})

deprecation('encodes characters that headers cannot contain', async () => {
  assert.is((await headersOf(debug, 'strange')).function, 'a%0D%0Ab (since 1; use %C3%BC%F0%9F%98%80 instead)')
})

deprecation('separates concurrent requests', async () => {
  await using site = await serve({ add: [old], debug: true, log: 'silent' })
  const name = site.kernel.branding.header('DeprecatedFunction')
  const reported = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const use = ['function', 'function-alone', ''][index % 3]!
      return [use, (await site.get(`/old/v1/it?use=${use}`)).headers.get(name)] as const
    }),
  )
  for (const [use, value] of reported) {
    assert.is(
      value,
      {
        function: 'get_old (since 4.7; use get_new instead)',
        'function-alone': 'get_old (since 4.7; no alternative available)',
      }[use] ?? null,
    )
  }
})

deprecation('runs its hooks', async () => {
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
