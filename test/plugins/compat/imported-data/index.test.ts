import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatReport } from '../../../../plugins/operations/importer/index.ts'
import { serve } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { one } from '../../operations/importer/importing.ts'

const item = (
  id: number,
  type: string,
  meta: Record<string, string> = {},
  content = '',
) => `<item><title>${type} ${id}</title>
  <content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>${id}</wp:post_id>
  <wp:post_date>2024-05-01 10:00:00</wp:post_date><wp:post_date_gmt>2024-05-01 10:00:00</wp:post_date_gmt>
  <wp:post_name>${type}-${id}</wp:post_name><wp:status>publish</wp:status><wp:post_type>${type}</wp:post_type>${Object.entries(
    meta,
  )
    .map(
      ([key, value]) =>
        `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`,
    )
    .join('')}</item>`

const exported = `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">
  <channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.example</wp:base_blog_url>
  <wp:term><wp:term_id>9</wp:term_id><wp:term_taxonomy>mood</wp:term_taxonomy><wp:term_slug>calm</wp:term_slug>
  <wp:term_name>Calm</wp:term_name></wp:term>
  ${item(1, 'post', { _edit_last: '1', hero: 'a', _hero: 'field_1', _elementor_data: '[]', theme_color: 'red', theme_size: '3' })}
  ${item(2, 'acf-field-group')}${item(3, 'product', { _sku: 'x' }, '[rev_slider alias="a"]')}${item(4, 'event')}${item(5, 'event')}
  </channel></rss>`

const imported = suite('imported data')

for (const { name, make } of places) {
  imported(`is reported with the plugins that serve it, and switches them on, on ${name}`, async () => {
    await using place = await make()
    await using site = await serve({ database: place.url })
    const report = await site.kernel.services.importer.run({ source: one(exported) })
    const about = (plugin: string) => report.plugins.find((one) => one.name === plugin)
    assert.equal(about('Advanced Custom Fields'), {
      name: 'Advanced Custom Fields',
      servedBy: ['custom-fields'],
      switchedOn: ['custom-fields'],
      names: [{ kind: 'type', name: 'acf-field-group', count: 1 }],
    })
    assert.ok(await site.kernel.services.optionalPlugins.isOn('custom-fields'))
    assert.equal(about('Elementor')?.names, [{ kind: 'meta', name: '_elementor_*', count: 1 }])
    assert.equal(about('WooCommerce')?.names, [
      { kind: 'type', name: 'product', count: 1 },
      { kind: 'meta', name: '_sku', count: 1 },
    ])
    assert.equal(about('Slider Revolution')?.names, [{ kind: 'shortcode', name: 'rev_slider', count: 1 }])
    assert.is(about('Polylang'), undefined)
    assert.equal(report.unserved, [
      { kind: 'type', name: 'event', count: 2 },
      { kind: 'taxonomy', name: 'mood', count: 1 },
      { kind: 'meta', name: 'theme_*', count: 2 },
    ])
    const text = formatReport(report)
    assert.match(text, 'Advanced Custom Fields: switched on custom-fields (type acf-field-group: 1)')
    assert.match(text, 'WooCommerce: stored, but not served (type product: 1, meta _sku: 1)')
    assert.match(text, '  type event: 2\n  taxonomy mood: 1\n  meta theme_*: 2')

    const again = await site.kernel.services.importer.run({ source: one(exported) })
    assert.equal(again.plugins.find((one) => one.name === 'Advanced Custom Fields')?.switchedOn, [])
  })
}

imported.run()
