import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse } from '../../../../helpers/browser.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'

const path = '/svc-admin/export'
const pages = suite('the export page of the admin')

pages('downloads each format, with the selected items', async () => {
  await using site = await serveWithUsers(filePlace)
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  const wxr = await sendForm(admin, path, { format: 'wxr', type: 'post', status: 'publish', revisions: '1' })
  assert.is(wxr.response.status, 200)
  assert.match(wxr.response.headers.get('content-disposition')!, /^attachment; filename="127\.0\.0\.1\.[\d-]+\.xml"$/)
  assert.is(wxr.response.headers.get('cache-control'), 'private, no-store')
  assert.equal(wxr.text.match(/<wp:status><!\[CDATA\[\w+/g), ['<wp:status><![CDATA[publish'])
  assert.not.match(wxr.text, 'argon2')
  const lines = (await sendForm(admin, path, { format: 'jsonl' })).text.trimEnd().split('\n')
  assert.equal(
    lines.map((line) => (JSON.parse(line) as { type: string }).type).filter((type) => type === 'post').length,
    2,
  )
  assert.ok((await sendForm(admin, path, { format: 'markdown' })).text.startsWith('PK'))
})

pages('shows what is wrong with a filter', async () => {
  await using site = await serveWithUsers(filePlace)
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  const { response, text } = await sendForm(admin, path, { after: 'yesterday' })
  assert.is(response.status, 400)
  assert.match(text, /is not a date/)
})

pages('is only for users with the capability export, and needs the nonce of its form', async () => {
  await using site = await serveWithUsers(filePlace)
  const [admin, editor] = [browse(site), browse(site)]
  await admin.logIn('admin', 'pass phrase of admin')
  await editor.logIn('ed', 'pass phrase of ed')
  assert.is((await editor.open(path)).status, 403)
  assert.not.match(await (await editor.open('/svc-admin/')).text(), path)
  assert.is((await admin.send(path, { format: 'wxr' })).status, 403)
})

pages.run()
