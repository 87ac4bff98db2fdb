import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog } from '../../../bin/config/log.ts'
import { browse } from '../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../helpers/site-with-users.ts'

const log = suite('log')

log('hides the values of secret keys and of secret URL parameters', () => {
  const lines: string[] = []
  const logger = createLog('info', { write: (line) => void lines.push(line) })
  logger.info({
    password: 'S3CRET',
    user: { password: 'S3CRET', name: 'ann' },
    a: { headers: { authorization: 'S3CRET' } },
  })
  logger.info({ headers: { cookie: 'S3CRET', 'set-cookie': ['S3CRET'] }, token: 'S3CRET', err: new Error('broken') })
  logger.info({ url: '/svc/v2/posts?_svcnonce=S3CRET&page=2&password=S3CRET&user[pwd]=S3CRET' })
  assert.not.match(lines.join(''), 'S3CRET')
  assert.match(lines[0]!, '"name":"ann"')
  assert.match(lines[1]!, 'broken')
  assert.match(lines[2]!, '/svc/v2/posts?_svcnonce=[hidden]&page=2&password=[hidden]')
})

log('S17: hides secrets in texts and in URLs of every encoding', () => {
  const lines: string[] = []
  const logger = createLog('info', { write: (line) => void lines.push(line) })
  const urls = [
    '/?rest_route=/svc/v2/posts/1?password=S3CRET',
    '/?rest_route=/svc/v2/posts/1&password=S3CRET&page=2',
    '/?rest_route=%2Fsvc%2Fv2%2Fposts%2F1%3Fpassword%3DS3CRET%26page%3D2',
    '/?rest_route=%252Fsvc%253F_svcnonce%253DS3CRET',
    '/svc-json/svc/v2/posts/1&password=S3CRET',
    '/svc-json/svc/v2/posts/1%3Fpassword=S3CRET',
    '/svc-json/svc/v2/posts/password=S3CRET',
    '/?pass%77ord=S3CRET&user%5Bpassword%5D=S3CRET&user[pwd]=S3CRET',
    '/?password=\'S3CRET"S3CRET\\S3CRET<S3CRET',
    '/?redirect_to=http%3A%2F%2Fsite.test%2F%3Fpreview_nonce%3DS3CRET',
  ]
  for (const url of urls) logger.error({ url }, `asked for ${url.replaceAll(/['"<\\].*/g, '')}`)
  logger.info({ path: '/svc/v2/posts/1?password=a secret of S3CRET&page=2' })
  const inner = JSON.stringify({ user: { password: 'S3CRET', name: 'ann' } })
  logger.error({ err: new Error(`${inner} with Authorization: Basic UzNDUkVU`, { cause: new Error('?token=S3CRET') }) })
  logger.info({ a: { b: { c: { d: { password: 'S3CRET' } } } } }, 'Bearer S3CRET.S3CRET')
  assert.not.match(lines.join(''), /S3CRET|UzNDUkVU/)
  for (const line of lines) assert.type(JSON.parse(line), 'object')
  assert.match(lines[1]!, '&page=2')
  assert.match(lines.at(-2)!, 'ann')
})

log('S29: searches adversarial texts for secrets in linear time', () => {
  let lineCount = 0
  const logger = createLog('info', { write: () => void (lineCount += 1) })
  const much = [
    '=',
    '%25',
    '"a":',
    '"',
    'Basic ',
    'password=',
    '\\',
    '\\"',
    '"\\',
    'a=',
    ' ',
    '%3D',
    '&',
    '://',
    '://a:b',
    ':',
  ].map((piece) => piece.repeat(200_000 / piece.length))
  const texts = [...much, `Basic${' '.repeat(200_000)}`, `${'a'.repeat(200_000)}=`]
  for (const text of texts) logger.info({ url: text, text }, text)
  assert.is(lineCount, texts.length)
})

log('S17: contains no secret of any request, also at the level trace', async () => {
  const lines: string[] = []
  await using site = await serveWithUsers(databases[0]!.place, {
    log: 'trace',
    trace: true,
    plugins: { jsonp: { enabled: true } },
    logTo: (line: string) => void lines.push(line),
  })
  const { password } = await site.kernel.services.applicationPasswords.create(site.users.ann, { name: 'p' })
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`
  const browser = browse(site)
  await browser.logIn('ann', 'pass phrase of ann')
  await browser.logIn('ann', 'wrong S3CRET')
  const nonce = await browser.nonce()
  await browser.api(`/svc/v2/users/me?_svcnonce=${nonce}`, null)
  await site.get('/svc/v2/users/me', { authorization })
  await site.get('/svc/v2/users/me', { authorization: 'Basic S3CRET!' })
  await site.send('POST', `/svc/v2/users/${site.users.con}`, { password: 'another S3CRET' }, 'admin')
  const make = (query: string, name: string) =>
    site.send('POST', `/svc/v2/users/me/application-passwords${query}`, { name }, 'ann').then((one) => one.text())
  const created = JSON.parse(await make('', 'q')) as { password: string }
  const wrapped = /"password":"([^"]+)"/.exec(await make('?_envelope&_embed', 'r'))![1]!
  // The password of a post, in every place where a request can contain it.
  const shut = { title: 'Shut', status: 'publish', password: 'word S3CRET' }
  const { id } = (await (await site.send('POST', '/svc/v2/posts', shut, 'ed')).json()) as { id: number }
  const word = 'word%20S3CRET'
  await site.get(`/svc/v2/posts/${id}?password=${word}&_jsonp=f`)
  await site.get(`/svc/v2/posts/${id}%3Fpassword=${word}`)
  await site.get(`/svc/v2/posts/${id}&password=${word}`)
  await site.get(`/svc/v2/comments?post=${id}&password=${word}`)
  await site.send('POST', '/svc/v2/comments', { post: id, content: 'x', password: 'word S3CRET' }, 'sub')
  await site.get(`${site.home}/?rest_route=/svc/v2/posts/${id}&password=${word}`)
  await site.get(`${site.home}/?rest_route=%2Fsvc%2Fv2%2Fposts%2F${id}%3Fpassword%3D${word}`)
  await site.get(`${site.home}/nowhere/password=${word}?pwd=${word}`)
  const batch = [{ method: 'POST', path: `/svc/v2/posts/${id}?password=${word}`, body: { password: 'word S3CRET' } }]
  await site.send('POST', '/batch/v1', { requests: batch }, 'ed')
  // Wrong passwords must not be logged either.
  const headers = { 'content-type': 'application/json', cookie: 'svc_session=S3CRET', 'x-svc-nonce': 'S3CRET' }
  await site.request('/svc/v2/users', { method: 'POST', headers, body: '{"password":"S3CRET",' })
  await site.request('/svc/v2/users', { method: 'POST', headers, body: '_svcnonce=S3CRET&password=S3CRET' })
  await browser.open(`${site.kernel.branding.loginPath}?pwd=S3CRET&redirect_to=%2F%3Ftoken%3DS3CRET`)
  // An application receives its password in a URL.
  const page = site.kernel.branding.authorizePath
  const back = 'https://app.test/back'
  const form = await (await browser.open(`${page}?app_name=phone&success_url=${back}`)).text()
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!])
  const decided = { ...Object.fromEntries(fields), success_url: back, decision: 'approve' }
  const sent = await browser.send(page, decided)
  const handed = new URL(sent.headers.get('location')!).searchParams.get('password')!
  assert.match(handed, /^\w{24}$/)
  const written = lines.join('')
  assert.ok(lines.length > 10)
  const token = /=([^;]+)/.exec(browser.cookie)![1]!
  const secrets = [
    password,
    password.replaceAll(' ', ''),
    authorization,
    'S3CRET',
    nonce,
    token,
    created.password,
    wrapped,
    handed,
  ]
  for (const secret of secrets) {
    const line = lines.find((one) => one.includes(secret)) ?? ''
    assert.is(line.slice(Math.max(0, line.indexOf(secret) - 100), line.indexOf(secret) + 30), '')
  }
  assert.not.match(written, 'pass phrase of')
  // The log still names the user of the request.
  assert.match(written, '[hidden]')
  assert.match(written, /determine_current_user.*login/)
})

log.run()
