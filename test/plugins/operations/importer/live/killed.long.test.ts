import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases } from '../../../../helpers/site-with-users.ts'
import { moveSite } from '../../../../helpers/moved-site.ts'

for (const { name, place } of databases) {
  const test = suite(`killed imports of a running site: ${name}`)

  test('continue after each kill until everything is here, without an unexplained difference', async () => {
    const { differences, report } = await moveSite(400, 2, place)
    assert.equal(differences.slice(0, 5), [])
    assert.not.match(report, /UNEXPLAINED/)
    assert.match(report, /Comparison of both sites/)
  })

  test.run()
}
