import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'

const failures = suite('the response cache and what fails')

/** What fails; null for nothing. */
let failing: 'block' | 'shortcode' | 'category' | null = null
const unlessItFails = <T>(name: typeof failing, made: T): T => {
  if (failing === name) throw new Error('not now')
  return made
}

const unsteady = definePlugin({
  name: 'unsteady',
  needs: ['blocks', 'shortcodes', 'terms'],
  apply({ hooks, services }) {
    const dependsOn = 'nothing'
    const block = () => unlessItFails('block', '<p>block</p>')
    services.blocks.register('test/unsteady', { dependsOn, render_callback: block })
    services.shortcodes.register('unsteady', () => unlessItFails('shortcode', 'shortcode'), { dependsOn })
    const category = <T>(response: T) => unlessItFails('category', response)
    hooks.rest_prepare.for('category').tap({ name: 'unsteady', dependsOn }, category)
  },
})

failures('what is left out because it failed is there as soon as it works again', async () => {
  await using site = await serve({ add: [unsteady] })
  const term = await addTerm(site.store, { name: 'Tools', taxonomy: 'category' })
  const { blockMark } = site.kernel.branding
  const content = `<!-- ${blockMark}:test/unsteady /--><!-- ${blockMark}:html --><p>a [unsteady]</p><!-- /${blockMark}:html -->`
  const [post] = await addPosts(site.store, { content, terms: [term] })
  /** What a post shows: content, and a category that is embedded. */
  const shown = async (path: string) => {
    const [item] = [await site.json(path)].flat()
    const embedded = [item._embedded['svc:term'][0]].flat()[0]
    return [item.content.rendered.replaceAll('\n', ''), embedded.name ?? embedded.code]
  }
  const whole = ['<p>block</p><p>a shortcode</p>', 'Tools']
  const cases = [
    ['block', ['<p>a shortcode</p>', 'Tools']],
    ['shortcode', ['<p>block</p><p>a </p>', 'Tools']],
    ['category', [whole[0], 'rest_internal_error']],
  ] as const
  for (const path of [`/svc/v2/posts/${post}?_embed`, '/svc/v2/posts?_embed']) {
    for (const [name, partly] of cases) {
      failing = name
      assert.equal([await shown(path), await shown(path)], [partly, partly], name)
      failing = null
      assert.equal(await shown(path), whole, name)
      await site.json(path)
      // By now it need not be made.
      failing = name
      assert.equal(await shown(path), whole, name)
      site.kernel.server.reset()
    }
  }
})

failures.run()
