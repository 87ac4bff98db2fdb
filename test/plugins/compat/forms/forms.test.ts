import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import type { FormMail } from '../../../../plugins/compat/forms/index.ts'
import { sendForm } from '../../../helpers/admin-forms.ts'
import { browse } from '../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const ROUTE = '/contact-form-7/v1/contact-forms'
const TEMPLATE = `<b onclick="x()">[text* name maxlength:5]</b>
[email mail]
[select topic "Sales|sales@example.test" "Other"]
[file doc filetypes:txt limit:1kb]
[quiz sum "1+1?|2"]
[acceptance agree] I agree [/acceptance]
[submit "Send"]`
// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
type Body = any

const mails: FormMail[] = []
const mailer = definePlugin({
  name: 'mailer',
  needs: ['forms'],
  apply({ hooks }) {
    hooks.form_mail.tap('mailer', (_wasSent, mail) => {
      mails.push(mail)
      return !mail.body.includes('fail')
    })
  },
})
const siteWith = (place = databases[0]!.place, options: object = {}) =>
  serveWithUsers(place, { plugins: { forms: { limit: 3, ...options } }, add: [mailer] })

async function create(site: SiteWithUsers, more: object = {}): Promise<number> {
  const mail = {
    subject: 'About [topic]',
    sender: 'a@b.test',
    recipient: '[topic]',
    body: 'From [name]',
    additional_headers: 'Reply-To: [mail]',
  }
  const form = { title: 'Contact', form: TEMPLATE, mail, context: 'save', ...more }
  const response = await site.send('POST', ROUTE, form, 'ed')
  return ((await response.json()) as Body).id as number
}

async function post(
  site: SiteWithUsers,
  id: number,
  fields: Record<string, string | File>,
  headers: Record<string, string> = {},
) {
  const refill = (await (await site.get(`${ROUTE}/${id}/refill`)).json()) as Body
  const data = new FormData()
  const all = {
    _wpcf7_unit_tag: 'tag',
    name: 'Ada',
    sum: '2',
    _wpcf7_quiz_answer_sum: refill.quiz?.sum[1] ?? '',
    agree: '1',
    ...fields,
  }
  for (const [name, value] of Object.entries(all)) data.append(name, value)
  const response = await site.request(`${ROUTE}/${id}/feedback`, { method: 'POST', body: data, headers })
  return (await response.json()) as Body
}

for (const { name, place } of databases) {
  const forms = suite(`forms on ${name}`)

  forms('store and send messages with their files', async () => {
    await using site = await siteWith(place)
    const id = await create(site)
    mails.length = 0
    const sent = await post(site, id, {
      mail: 'ada@example.test',
      topic: 'Sales',
      doc: new File(['hello'], 'note.txt'),
    })
    assert.equal([sent.status, sent.into, sent.invalid_fields], ['mail_sent', '#tag', []])
    const [{ to, subject, body, headers }] = mails as [FormMail]
    assert.equal(
      [to, subject, body, headers],
      ['sales@example.test', 'About sales@example.test', 'From Ada', ['Reply-To: ada@example.test']],
    )
    assert.is((await post(site, id, { name: 'fail' })).status, 'mail_failed')
    const editor = browse(site)
    await editor.logIn('ed', 'pass phrase of ed')
    const page = await (await editor.open('/svc-admin/forms/1')).text()
    assert.match(page, 'ada@example.test')
    assert.match(page, 'note.txt')
    const file = await sendForm(editor, '/svc-admin/forms/1', { do: 'file', file: '1' })
    assert.equal([file.text, file.response.headers.get('content-type')], ['hello', 'application/octet-stream'])
    assert.match((await sendForm(editor, '/svc-admin/forms', { do: 'export' })).text, '"Ada"')
    await sendForm(editor, '/svc-admin/forms', { do: 'delete', id: '1' })
    assert.is((await editor.open('/svc-admin/forms/1')).status, 404)
    const author = browse(site)
    await author.logIn('ann', 'pass phrase of ann')
    assert.is((await author.open('/svc-admin/forms')).status, 403)
  })

  forms.run()
}

const forms = suite('forms')

forms('refuse invalid fields, missing acceptance, and spam', async () => {
  await using site = await siteWith()
  const id = await create(site)
  await site.kernel.services.options.set('disallowed_keys', 'badword')
  const errorsOf = async (fields: Record<string, string | File>) =>
    (await post(site, id, fields)).invalid_fields.map(({ field }: Body) => field)
  assert.equal(await errorsOf({ name: ' ' }), ['name'])
  assert.equal(await errorsOf({ name: 'too long', mail: 'x', topic: 'No' }), ['name', 'mail', 'topic'])
  assert.equal(await errorsOf({ doc: new File(['x'], 'x.exe') }), ['doc'])
  assert.equal(await errorsOf({ doc: new File(['x'.repeat(1025)], 'x.txt') }), ['doc'])
  assert.equal(await errorsOf({ sum: '3' }), ['sum'])
  assert.equal(await errorsOf({ _wpcf7_quiz_answer_sum: 'x' }), ['sum'])
  assert.is((await post(site, id, { agree: '' })).status, 'acceptance_missing')
  assert.is((await post(site, id, {}, { 'user-agent': 'x' })).status, 'spam')
  assert.is((await post(site, id, { mail: 'badword@example.test' })).status, 'spam')
  assert.is((await post(site, id, { _wpcf7_unit_tag: '' })).code, 'wpcf7_unit_tag_not_found')
  assert.is((await site.send('POST', `${ROUTE}/${id}/feedback`, {})).status, 415)
})

forms('limit the messages of a network', async () => {
  await using site = await siteWith()
  const id = await create(site)
  for (let n = 0; n < 3; n += 1) assert.is((await post(site, id, {})).status, 'mail_sent')
  assert.is((await post(site, id, {})).code, 'forms_too_many_submissions')
})

forms('show their routes to users with rights only', async () => {
  await using site = await siteWith()
  const id = await create(site)
  const status = async (path: string, login?: 'ann' | 'ed' | 'sub') =>
    (await site.send('GET', `${ROUTE}${path}`, null, login)).status
  assert.equal([await status(''), await status('', 'sub'), await status('', 'ann')], [403, 403, 200])
  assert.equal([await status(`/${id}`), await status(`/${id}`, 'ann'), await status(`/${id}`, 'ed')], [403, 403, 200])
  assert.is((await site.send('DELETE', `${ROUTE}/${id}`, null, 'ann')).status, 403)
  assert.is((await site.send('DELETE', `${ROUTE}/${id}`, null, 'ed')).status, 200)
  assert.is((await site.send('GET', `${ROUTE}/${id}/feedback/schema`, null)).status, 404)
})

forms('have all messages, and replace the sent mail as a whole', async () => {
  await using site = await siteWith()
  const id = await create(site)
  const change = async (sent: object) =>
    ((await (await site.send('PUT', `${ROUTE}/${id}`, { ...sent, context: 'save' }, 'ed')).json()) as Body).properties
  const { mail } = await change({ mail: { subject: 'Other', body: '[name]' } })
  assert.equal([mail.active, mail.subject, mail.body], [true, 'Other', '[name]'])
  assert.equal([mail.recipient, mail.additional_headers, mail.use_html], ['', '', false])
  assert.equal((await change({ messages: { mail_sent_ok: 'Done.' } })).messages, { mail_sent_ok: 'Done.' })
  const { messages } = await change({ title: 'Renamed' })
  assert.is(messages.mail_sent_ok, 'Done.')
  assert.is(messages.invalid_required, 'Please fill out this field.')
})

forms('work on pages without scripts', async () => {
  await using site = await siteWith()
  const id = await create(site)
  const content = `[contact-form-7 id="${id}"]`
  const page = (await (
    await site.send('POST', '/svc/v2/pages', { title: 'Write', status: 'publish', content }, 'admin')
  ).json()) as Body
  const shown = await (await fetch(page.link)).text()
  assert.match(shown, `wpcf7-f${id}-p${page.id}-o1`)
  assert.not.match(shown, 'onclick="x()"')
  const hash = /name="_wpcf7_quiz_answer_sum"\s+value="(\w+)"/.exec(shown)![1]!
  const send = async (fields: Record<string, string>, url: string = page.link) => {
    const data = new FormData()
    const all = {
      _wpcf7: String(id),
      _wpcf7_unit_tag: `wpcf7-f${id}-p${page.id}-o1`,
      _wpcf7_quiz_answer_sum: hash,
      sum: '2',
      agree: '1',
      ...fields,
    }
    for (const [field, value] of Object.entries(all)) data.append(field, value)
    const response = await fetch(url, { method: 'POST', body: data })
    assert.equal([response.headers.get('cache-control'), response.headers.get('etag')], ['no-store, private', null])
    return `${response.status} ${await response.text()}`
  }
  const invalid = await send({ name: '"><i>x' })
  assert.match(invalid, 'This field has a too long input.')
  assert.not.match(invalid, '"><i>x')
  assert.is(invalid.split('data-wpcf7-id').length, 2)
  assert.match(await send({ name: 'Ada' }), 'Thank you for your message. It has been sent.')
  const plain = await send({ name: 'Bob' }, `${site.home}/?page_id=${page.id}`)
  assert.match(plain, /^200 .*Thank you for your message\. It has been sent\./s)
  assert.not.match(await (await fetch(page.link)).text(), 'Thank you for your message.')
})

forms.run()
