import { serve, as } from '../testing/index.ts'
import { filePlace, postgresPlace } from '../test/stores.ts'
import { sql } from 'kysely'
const n = Number(process.argv[2] ?? 600)
for (const kind of (process.argv[3] ?? 'sqlite,postgres').split(',')) {
  await using place = kind === 'sqlite' ? await filePlace() : await postgresPlace(process.env.SVC_TEST_POSTGRES!)
  const lines: string[] = []
  await using site = await serve({ database: place.address, log: 'error', logTo: (l: string) => void lines.push(l), limits: { time: Number(process.argv[4] ?? 30000) } })
  const post = async (i: number) => {
    const r = await site.request('/svc/v2/posts', { method: 'POST', headers: { ...as('administrator'), 'content-type': 'application/json' }, body: JSON.stringify({ title: `t${i}`, status: 'publish' }) })
    await r.text()
    return `${r.status}${r.status === 503 ? ' ' + r.headers.get('retry-after') : ''}`
  }
  await post(-1)
  const t = performance.now()
  const out = await Promise.all(Array.from({ length: n }, (_, i) => post(i)))
  const ms = performance.now() - t
  const tally: Record<string, number> = {}
  for (const s of out) tally[s] = (tally[s] ?? 0) + 1
  const rows = await site.store.first(sql<{ n: number }>`select count(*) as n from posts where type = 'post'`)
  console.log(kind, tally, 'rows', rows!.n - 1, `${(n / ms * 1000).toFixed(0)} writes/s`)
  const t1 = performance.now(); let k = 0
  while (performance.now() - t1 < 2000) { await post(k++) }
  console.log(kind, `alone ${(k / 2).toFixed(0)}/s`)
  let done = 0; const t2 = performance.now()
  await Promise.all(Array.from({ length: 16 }, async () => { while (performance.now() - t2 < 3000) { await post(done++) } }))
  console.log(kind, `16 writers ${(done / (performance.now() - t2) * 1000).toFixed(0)}/s`)
  if (lines.length) console.log(lines.slice(0, 2).join(''))
}
