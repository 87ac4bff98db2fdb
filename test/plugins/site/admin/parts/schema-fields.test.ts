import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, html, type ArgumentSchema } from '../../../../../plugins/public.ts'
import { schemaFields, schemaValues } from '../../../../../plugins/site/admin/parts/schema-fields.ts'
import { browse } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'

const schemas: Record<string, ArgumentSchema> = {
  price: { type: 'number', title: 'Price', minimum: 0 },
  count: { type: ['integer', 'null'] },
  open: { type: 'boolean' },
  shut: { type: 'boolean' },
  size: { type: 'string', enum: ['small', 'large'] },
  days: { type: 'array', items: { type: 'string', enum: ['monday', 'friday'] } },
  names: { type: 'array', items: { type: 'string' } },
  address: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'integer' } } },
  beds: {
    type: 'array',
    items: { type: 'object', properties: { plant: { type: 'string' }, wet: { type: 'boolean' } } },
  },
  shape: { type: 'object', additionalProperties: { type: 'number' } },
  mail: { type: 'string', format: 'email' },
  left: { type: 'string' },
}

const garden = definePlugin({
  name: 'garden',
  needs: ['admin'],
  apply({ services }) {
    services.admin.addPage({
      path: 'garden',
      title: 'Garden',
      show: (view) => {
        const values = { price: 2.5, names: ['a', '<b>'], beds: [{ plant: 'rose', wet: true }], shape: { a: 1 } }
        const errors = { 'meta.beds[0][plant]': 'No roses.' }
        const fields = schemaFields(view, { schemas, values, name: 'meta', errors })
        return { main: html`${[...fields.values()]}` }
      },
      actions: {
        save: (view) => ({
          main: html`<output
            >${JSON.stringify(schemaValues(view, { schemas, name: 'meta' }, view.form['meta']))}</output
          >`,
        }),
      },
    })
  },
})

const fields = suite('fields of schemas')
const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

fields('are rendered for every type of value, and parsed to the types of the schemas', async () => {
  await using site = await serveWithUsers(databases[0]!.place, { add: [garden] })
  const author = browse(site)
  await author.logIn('ann', 'pass phrase of ann')
  const page = await (await author.open('/svc-admin/garden')).text()
  assert.match(
    page,
    /<input type="number" value="2.5"\s+id="field-meta-price-"\s+name="meta\[price\]"\s+step="any" min="0"/,
  )
  assert.match(page, /<textarea[^>]*name="meta\[names\]"[^>]*>\na\n&#60;b&#62;<\/textarea>/)
  assert.match(page, /name="meta\[beds\]\[0\]\[plant\]"\s+aria-describedby="field-meta-beds-0-plant--error"/)
  assert.match(page, /name="meta\[beds\]\[1\]\[plant\]"/)
  const nonce = /name="_svcnonce" value="(\w+)"/.exec(page)![1]!
  const sent = await author.send('/svc-admin/garden', {
    _svcnonce: nonce,
    'meta[price]': 'dear',
    'meta[count]': '',
    'meta[open]': '1',
    'meta[shut]': '',
    'meta[size]': 'large',
    'meta[days][]': 'friday',
    'meta[names]': 'a\r\n\r\n b ',
    'meta[address][city]': 'Ulm',
    'meta[address][zip]': '',
    'meta[beds][0][plant]': 'rose',
    'meta[beds][0][wet]': '1',
    'meta[beds][1][plant]': '',
    'meta[beds][1][wet]': '',
    'meta[shape]': '{"a"',
    'meta[mail]': '',
  })
  const text = unescaped(await sent.text())
  const result = JSON.parse(/<output\s*>(.*)<\/output\s*>/s.exec(text)![1]!) as unknown
  assert.equal(result, {
    values: {
      price: 'dear',
      count: null,
      open: true,
      shut: false,
      size: 'large',
      days: ['friday'],
      names: ['a', 'b'],
      address: { city: 'Ulm' },
      beds: [{ plant: 'rose', wet: true }],
      shape: '{"a"',
      mail: null,
    },
    errors: { 'meta.price': 'Enter a number.', 'meta.shape': 'Enter valid JSON.' },
  })
})

fields.run()
