import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { svc } from '../helpers/svc.ts'
import { databases } from '../helpers/site-with-users.ts'
import type { Place } from '../helpers/stores.ts'

const GARDEN = path.resolve(import.meta.dirname, '../helpers/garden.ts')

for (const { name, place } of databases) {
  const actions = suite(`svc action on ${name}`)

  actions('runs an action on behalf of a user', async () => {
    await using site = await workplace(await place())
    await site.run('user', 'add', 'ann', '--email', 'ann@mail.example', '--role', 'author')
    const water = (...flags: string[]) => site.run('action', 'garden/water-plant', ...flags)
    const watered = await water('--plant', 'rose', '--litres', '3', '--user', 'ann')
    assert.equal([watered.code, watered.out, watered.err], [0, 'plant   rose\nlitres  3', ''])
    const asId = await water('--plant', 'rose', '--user', '1', '--json')
    assert.equal(JSON.parse(asId.out), { plant: 'rose', litres: 4 })
    const messageFor = async (...flags: string[]) => {
      const { code, out, err } = await water(...flags)
      assert.equal([code, out], [1, ''])
      return err
    }
    assert.is(
      await messageFor('--plant', 'rose'),
      'Sorry, you are not allowed to run the action garden/water-plant with this input. Pass the user: --user LOGIN.',
    )
    assert.is(
      await messageFor('--plant', 'rose', '--litres', '6', '--user', 'ann@mail.example'),
      'Sorry, you are not allowed to run the action garden/water-plant with this input.',
    )
    assert.is(
      await messageFor('--plant', 'rose', '--user', 'bob'),
      'There is no user bob: svc user list shows all users.',
    )
    assert.is(await messageFor(), 'Give --plant. svc action garden/water-plant --help lists its arguments.')
    assert.is(await messageFor('--plant', 'cactus', '--user', 'ann'), 'It would drown.')
    assert.is((await site.run('action', 'garden/list-plants')).out, 'rose  4')
  })

  actions('rolls back the transaction of an action that fails', async () => {
    await using site = await workplace(await place())
    const lied = await site.run('action', 'garden/lie-wholly')
    assert.is(lied.code, 1)
    assert.match(lied.err, 'The output of the action garden/lie-wholly does not match its output_schema')
    // Its row would be there already.
    assert.match((await site.run('action', 'garden/lie-wholly')).err, 'does not match its output_schema')
    assert.match((await site.run('action', 'garden/count-secretly')).err, 'tried to write. Nothing was written')
  })

  actions('lists the actions, and prints the help of each', async () => {
    await using site = await workplace(await place())
    const { out } = await site.run('actions', '--category', 'reports')
    assert.is(out, 'garden/list-plants  List the plants')
    const [described] = JSON.parse((await site.run('actions', '--json')).out) as { name: string }[]
    assert.is(described?.name, 'garden/clear-bed')
    const help = (await site.run('action', 'garden/whisper', '--help')).out
    assert.match(help, /^Usage: svc action garden\/whisper \[FLAGS\]\n\nWhisper\n\nIs no route\.\n/)
    // What every command has a flag for is given by another one.
    assert.match(help, /^ {2}--input-user VALUE +\(required\)$/m)
    assert.match(help, /^ {2}--input-port VALUE/m)
    const whisper = await site.run('action', 'garden/whisper', '--input-user', 'me', '--input-port', '7', '--json')
    assert.equal(JSON.parse(whisper.out), { user: 'me', port: 7, by: 0, via: 'command' })
    assert.is((await site.run('action', 'garden/name', '--input', 'Eden')).out, 'Eden!')
    const unknown = await site.run('action', 'garden/water')
    assert.is(unknown.code, 1)
    assert.match(unknown.err, /^There is no command action garden\/water.*\n\nCommands of plugins/)
    assert.match((await site.run('action')).err, /^ {2}action garden\/clear-bed\n/m)
  })

  actions.run()
}

/** Creates a site with the garden plugin, and a function that runs `svc` on it. */
async function workplace(place: Place) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-'))
  const config = path.join(folder, 'svc.config.json')
  const plugins = { [`./${path.relative(folder, GARDEN)}`]: true }
  await writeFile(config, JSON.stringify({ database: place.url, plugins }))
  return {
    run: (...argv: string[]) => svc(...argv, '--config', config),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true })
      await place[Symbol.asyncDispose]()
    },
  }
}
