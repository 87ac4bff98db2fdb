import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Controller, type ItemSchema } from '../../../plugins/resources/index.ts'
import type { PluginContext, RestServer } from '../../../kernel/index.ts'
import { bare, plugin } from '../../kernel/bare.ts'

const controllers = suite('controllers')

/** A controller whose items fail: data and links both throw. */
class Broken extends Controller<number> {
  constructor(context: PluginContext) {
    super(context, 'test/v1', 'broken', 'broken')
  }
  override register(server: RestServer): void {
    server.registerRoute(this.namespace, this.restBase, {
      callback: (request) => this.prepareList([1, 2, 3], request),
      permission_callback: () => true,
    })
  }
  protected override itemSchema(): ItemSchema {
    return {
      $schema: 'http://json-schema.org/draft-04/schema#',
      title: 'broken',
      type: 'object',
      properties: { id: { type: 'integer', context: ['view'] } },
    }
  }
  protected override async toData(): Promise<never> {
    throw new Error('no data')
  }
  protected override toLinks(): never {
    throw new Error('no links')
  }
}

controllers('respond with 500 if data and links both fail, without unhandled rejections', async () => {
  const unhandled: unknown[] = []
  const record = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', record)
  try {
    const broken = plugin('broken', (context) => {
      context.hooks.rest_api_init.tap('broken', (server) => new Broken(context).register(server))
    })
    await using site = await bare([broken])
    assert.is((await site.raw('/svc-json/test/v1/broken')).status, 500)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(unhandled, [])
  } finally {
    process.off('unhandledRejection', record)
  }
})

controllers.run()
