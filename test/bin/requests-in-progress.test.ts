import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readRequests, RequestsInProgress } from '../../bin/commands/requests-in-progress.ts'

const notes = suite('requests in progress')

notes('are read from shared memory until they end, latest first, without queries', () => {
  const requests = new RequestsInProgress()
  const page = requests.begin('GET', '/about?token=secret')!
  const rest = requests.begin('POST', '/svc-json/svc/v2/posts')!
  rest.setUser(7)
  rest.setRoute('/svc/v2/posts')
  assert.equal(readRequests(requests.memory), [
    { request: 'POST /svc-json/svc/v2/posts', route: '/svc/v2/posts', user: 7 },
    { request: 'GET /about', route: null, user: null },
  ])
  rest.end()
  page.setUser(0)
  assert.equal(readRequests(requests.memory), [{ request: 'GET /about', route: null, user: 'visitor' }])
  page.end()
  assert.equal(readRequests(requests.memory), [])
})

notes('are noted up to a limit, and again once earlier requests have ended', () => {
  const requests = new RequestsInProgress()
  const all = Array.from({ length: 200 }, (_, index) => requests.begin('GET', `/${index}`))
  const noted = all.filter((note) => note !== null)
  assert.is(noted.length, 64)
  assert.is(readRequests(requests.memory).length, 64)
  for (const note of noted) note.end()
  assert.ok(requests.begin('GET', '/again'))
  assert.equal(
    readRequests(requests.memory).map(({ request }) => request),
    ['GET /again'],
  )
})

notes('are truncated to the length of a note, and contain no text of an earlier note', () => {
  const requests = new RequestsInProgress()
  const long = requests.begin('GET', `/${'é'.repeat(1000)}`)!
  long.setRoute('/x'.repeat(1000))
  const [read] = readRequests(requests.memory)
  assert.match(read!.request, /^GET \/é{100,}$/)
  assert.match(read!.route!, /^(?:\/x){100,}$/)
  long.end()
  requests.begin('GET', '/short')
  assert.equal(readRequests(requests.memory), [{ request: 'GET /short', route: null, user: null }])
})

notes.run()
