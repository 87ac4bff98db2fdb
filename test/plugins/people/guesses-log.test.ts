import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../helpers/content.ts'
import { browse } from '../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../helpers/site-with-users.ts'
import { nextServerSocket } from '../../helpers/wire.ts'

const GUIDE = path.resolve(import.meta.dirname, '../../../docs/guides/operating.md')

/** Returns the expression of the guide, as fail2ban reads it. */
async function failregex(): Promise<RegExp> {
  const [, text = ''] = /^failregex = (.*)$/m.exec(await readFile(GUIDE, 'utf8')) ?? []
  return new RegExp(text.replace('<HOST>', '(?<host>[\\da-fA-F:.]+)'))
}

/** Serves a site and collects its log lines. */
async function servedWithLog(place: Parameters<typeof serveWithUsers>[0], level = 'info') {
  const lines: string[] = []
  const site = await serveWithUsers(place, {
    trust_proxy: true,
    log: level,
    logTo: (line: string) => void lines.push(line),
  })
  return { site, lines, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}
const from = (ip: string) => ({ 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' })
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

for (const { name, place } of databases) {
  const guesses = suite(`guesses in the log on ${name}`)

  guesses(
    'are logged with the IP address, in lines that the filter of the guide matches, without the typed text',
    async () => {
      await using there = await servedWithLog(place)
      const { site, lines } = there
      const filter = await failregex()
      const [post] = await addPosts(site.store, { status: 'publish', title: 'x', password: 'word' })
      const acts: [event: string, ip: string, act: (ip: string) => Promise<Response>][] = [
        [
          'login_failed',
          '203.0.113.1',
          (ip) => browse(site).send('/svc-login', { log: 'ann', pwd: 'S3CRET' }, from(ip)),
        ],
        [
          'login_failed',
          '2001:db8::7',
          (ip) => browse(site).send('/svc-login', { log: 'S3CRET', pwd: 'S3CRET' }, from(ip)),
        ],
        [
          'application_password_failed',
          '203.0.113.3',
          (ip) => site.get('/svc/v2/posts', { ...from(ip), ...basic(`ann:${'S3CRET'.repeat(4)}`) }),
        ],
        ['password_failed', '203.0.113.4', (ip) => site.get(`/svc/v2/posts/${post}?password=S3CRET`, from(ip))],
      ]
      for (const [event, ip, act] of acts) {
        lines.length = 0
        const { status } = await act(ip)
        assert.ok([401, 403].includes(status), `${event} ${status}`)
        const found = lines.filter((line) => filter.test(line))
        assert.match(found[0]!.replace('"plugin"', '"worker":2,"plugin"'), filter)
        assert.equal(
          found.map((line) => [filter.exec(line)?.groups?.['host'], (JSON.parse(line) as { event: string }).event]),
          [[ip, event]],
          lines.join(''),
        )
        assert.not.match(lines.join(''), 'S3CRET')
        // fail2ban removes the date from the line.
        assert.match(found[0]!.replace(/"time":\d+/, ''), filter)
        assert.match(found[0]!.replace(/(?<="time":)\d+/, ''), filter)
      }
      lines.length = 0
      for (let at = 0; at < 6; at += 1) await acts[0]![2]('203.0.113.9')
      assert.equal(
        lines.filter((line) => filter.test(line)).map((line) => (JSON.parse(line) as { event: string }).event),
        [...Array.from({ length: 5 }, () => 'login_failed'), 'login_refused'],
      )
    },
  )

  guesses('cannot be forged by client input', async () => {
    await using there = await servedWithLog(place, 'debug')
    const { site, lines } = there
    const filter = await failregex()
    const forged =
      '{"level":40,"time":1,"pid":1,"hostname":"h","plugin":"login","event":"login_failed","ip":"198.51.100.99","user":null}'
    const texts = [
      `\n${forged}\n`,
      `\r${forged}`,
      `\u2028${forged}\u0085${forged}`,
      `"}\n${forged}`,
      `","event":"login_failed","ip":"198.51.100.99"`,
    ]
    for (const text of texts) {
      const encoded = encodeURIComponent(text)
      await browse(site).send('/svc-login', { log: text, pwd: text }, from('203.0.113.1'))
      await site.get('/svc/v2/posts', { ...from('203.0.113.2'), ...basic(`${text}:x`) })
      await site.get(`/svc/v2/posts?search=${encoded}&password=${encoded}`, from('203.0.113.3'))
      await site.get(`/${encoded}`, { ...from('203.0.113.4'), 'user-agent': encoded })
      await browse(site).open(`/${encoded}`, { headers: { ...from('198.51.100.99", "x'), referer: encoded } })
    }
    assert.ok(lines.length > 10)
    for (const line of lines) {
      assert.is(line.split(/[\r\n\u0085\u2028\u2029]/).length, 2, line)
      assert.type(JSON.parse(line), 'object')
      assert.is(filter.exec(line)?.groups?.['host'] === '198.51.100.99', false, line)
    }
  })

  guesses('are not logged for legitimate requests', async () => {
    await using there = await servedWithLog(place)
    const { site, lines } = there
    const answer = await site.send('DELETE', `/svc/v2/users/${site.users.shy}?reassign=1`, {}, 'admin')
    assert.is(answer.status, 501)
    const controller = new AbortController()
    const left = site.request('/svc/v2/posts', {
      method: 'POST',
      body: slowly(controller),
      signal: controller.signal,
      duplex: 'half',
    })
    await left.catch(() => {})
    await site.get('/svc/v2/posts')
    assert.equal(lines, [])
  })

  guesses.run()
}

/** A body whose client disconnects in the middle of it. */
function slowly(client: AbortController): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('title=half'))
      void nextServerSocket().then(() => client.abort())
    },
  })
}
