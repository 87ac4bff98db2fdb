import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { svc } from '../helpers/svc.ts'

const commands = suite('commands of plugins')

const GARDEN = `export default {
  name: 'garden',
  needs: ['settings'],
  apply({ addCommand, services }) {
    const plants = () => services.options.get('garden_plants', [])
    addCommand('garden', {
      summary: 'Lists the plants.',
      json: true,
      run: async ({ printData }) => printData(await plants()),
    })
    addCommand('garden plant', {
      summary: 'Plants something.',
      description: 'It grows slowly.',
      args: {
        name: { type: 'string', required: true, minLength: 2, description: 'What it is.' },
        beds: { type: 'array', items: { type: 'integer' } },
      },
      flags: {
        litres: { type: 'integer', minimum: 1, maximum: 10, default: 1, description: 'How much water.' },
        dry_run: { type: 'boolean' },
        colours: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
        place: { type: 'object', properties: { x: { type: 'integer' } } },
      },
      run: async ({ operands, flags, print, json }) => {
        if (operands.name === 'weed') throw new Error('Nobody plants that.')
        print(JSON.stringify({ ...operands, ...flags, json }))
        if (flags.dry_run !== true) await services.options.set('garden_plants', [...(await plants()), operands])
        return operands.name === 'tree' ? 4 : undefined
      },
    })
  },
}
`

/** Creates a folder with the config of a site with the garden plugin, and a function that runs `svc` in it. */
async function workplace(plugin = GARDEN) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-'))
  const config = path.join(folder, 'svc.config.json')
  await writeFile(path.join(folder, 'garden.mjs'), plugin)
  await writeFile(config, JSON.stringify({ database: 'sqlite:./site.db', plugins: { './garden.mjs': true } }))
  return {
    folder,
    config,
    hasDatabase: () => existsSync(path.join(folder, 'site.db')),
    run: (...argv: string[]) => svc(...argv, '--config', config),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

commands('run on the database of the site with the declared operands and flags', async () => {
  await using site = await workplace()
  const args = ['rose', '3', '4', '--colours', 'red,blue', '--place', '{"x":"7"}', '--litres=2']
  const { code, out, err } = await site.run('garden', 'plant', ...args)
  assert.equal([code, err], [0, ''])
  assert.equal(JSON.parse(out), {
    name: 'rose',
    beds: [3, 4],
    litres: 2,
    colours: ['red', 'blue'],
    place: { x: 7 },
    json: false,
  })
  const second = await site.run('garden', 'plant', 'tree', '--colours', 'red', '--colours', 'blue', '--dry-run')
  assert.is(second.code, 4)
  assert.equal(JSON.parse(second.out), {
    name: 'tree',
    litres: 1,
    colours: ['red', 'blue'],
    dry_run: true,
    json: false,
  })
  assert.is((await site.run('garden')).out, 'rose  [3,4]')
  assert.equal(JSON.parse((await site.run('garden', '--json')).out), [{ name: 'rose', beds: [3, 4] }])
})

commands('reject an invalid command line with its mistake, and do not run', async () => {
  await using site = await workplace()
  await site.run('garden')
  const errorOf = async (...argv: string[]) => {
    const { code, out, err } = await site.run('garden', 'plant', ...argv)
    assert.equal([code, out], [1, ''])
    return err.replace(' svc garden plant --help lists its arguments.', '')
  }
  assert.is(await errorOf(), 'Give NAME.')
  assert.is(await errorOf('x'), 'NAME must have at least 2 characters.')
  assert.is(
    await errorOf('rose', 'x', '--litres', '11'),
    'BEDS[0] is not of type integer. --litres must be between 1 (inclusive) and 10 (inclusive).',
  )
  assert.is(await errorOf('rose', '--litre', '3'), 'There is no flag --litre: did you mean --litres?')
  assert.is(await errorOf('rose', '--litres'), 'Give a value for --litres: --litres=VALUE.')
  assert.is(await errorOf('rose', '--litres', '-3'), 'Give a value for --litres: --litres=VALUE.')
  assert.is(await errorOf('rose', '--dry-run=3'), '--dry-run takes no value.')
  assert.match(await errorOf('rose', '--place', 'here'), /^--place is not valid JSON: /)
  assert.is(await errorOf('rose', '--colours', 'green'), '--colours[0] is not one of red, blue.')
  assert.is(await errorOf('rose', '--json'), 'There is no flag --json.')
  assert.is(await errorOf('weed'), 'Nobody plants that.')
  assert.match((await site.run('garden', '--port', 'x')).err, 'The config value port')
  assert.is((await site.run('garden')).out, 'None.')
})

commands('are suggested by the nearest name, without creating a database', async () => {
  await using site = await workplace()
  const errorOf = async (...argv: string[]) => {
    const { code, out, err } = await site.run(...argv)
    assert.equal([code, out], [1, ''])
    return err
  }
  assert.match(await errorOf('gardn'), /^There is no command gardn: did you mean garden\?\n\nCommands of plugins/)
  assert.match(await errorOf('garden', 'plnt', 'rose'), /^There is no command garden plnt: did you mean garden plant\?/)
  assert.match(await errorOf('route'), /^There is no command route: did you mean routes\?/)
  assert.match(await errorOf('zzz'), /^There is no command zzz\n\nCommands of plugins.*\n[^]*\n {2}garden +Lists/)
  assert.is(await errorOf('--jsn', 'routes'), 'Name a command before the flag --jsn: svc --help lists them.')
  assert.is(site.hasDatabase(), false)
})

commands('are listed and described by --help, without creating a database', async () => {
  await using site = await workplace()
  const all = await site.run('--help')
  assert.match(all.out, /^Usage: svc COMMAND/)
  assert.match(
    all.out,
    /^ {2}garden +Lists the plants. \(garden\)\n {2}garden plant NAME \[BEDS…\]\n +Plants something/m,
  )
  const { code, out } = await site.run('garden', 'plant', '--help')
  assert.is(code, 0)
  assert.match(out, /^Usage: svc garden plant NAME \[BEDS…\] \[FLAGS\]\n\nPlants something\.\n\nIt grows slowly\.\n\n/)
  assert.match(out, /^ {2}--litres VALUE {8}How much water\. \(by default 1\)$/m)
  assert.match(out, /^ {2}--dry-run/m)
  assert.not.match(out, '--json')
  const { out: above } = await site.run('garden', '--help')
  assert.match(above, /^ {2}--json/m)
  assert.match(above, /^Further commands:\n\n {2}garden plant NAME \[BEDS…\]/m)
  assert.is(site.hasDatabase(), false)
})

commands('are not listed if the site does not start, and --help prints the reason', async () => {
  await using site = await workplace(`export default { name: 'garden', apply() { throw new Error('It rains.') } }`)
  const { code, out } = await site.run('--help')
  assert.is(code, 0)
  assert.match(out, /^ {2}routes \[TEXT\]/m)
  assert.match(out, 'Commands of plugins are not listed, because the site does not start: The plugin garden could not')
  const unknown = await site.run('garden')
  assert.is(unknown.code, 1)
  assert.match(
    unknown.err,
    /^svc has no built-in command garden, and the site with its plugins does not start: .*rains/,
  )
})

/** Invalid declarations with their errors. */
const WRONG: readonly (readonly [name: string, command: string, message: string])[] = [
  ['Garden', `{ summary: 'S', run() {} }`, 'its name must consist of lowercase letters, digits and hyphens'],
  ['a b c d', `{ summary: 'S', run() {} }`, 'its name has more than three words'],
  ['help', `{ summary: 'S', run() {} }`, 'svc help shows the help'],
  ['routes', `{ summary: 'S', run() {} }`, 'The command "routes" already exists: it was added by svc.'],
  ['routes mine', `{ summary: 'S', run() {} }`, 'it was added by svc'],
  ['a', `{ run() {} }`, 'it has no summary: describe it in a sentence'],
  ['a', `{ summary: 'S' }`, 'it has no function run'],
  ['a', `{ summary: 'S', run() {}, flag: {} }`, 'it has the unknown key "flag": did you mean flags?'],
  ['a', `{ summary: 'S', run() {}, options: {} }`, 'it has the unknown key "options": did you mean flags?'],
  [
    'a',
    `{ summary: 'S', run() {}, args: { x: { type: 'int' } } }`,
    'the operand "x" has the type "int": did you mean integer?',
  ],
  ['a', `{ summary: 'S', run() {}, flags: { x: 'text' } }`, 'the flag "x" is "text": it must be a schema'],
  [
    'a',
    `{ summary: 'S', run() {}, flags: { x: { type: 'integer', default: 'y' } } }`,
    'the flag "x" has an invalid default: "y"; it is not of type integer',
  ],
  ['a', `{ summary: 'S', run() {}, flags: { port: {} } }`, '--port is a flag of every command: rename it'],
  ['a', `{ summary: 'S', run() {}, flags: { 'a-b': {} } }`, '"a-b" is not a valid name for an operand or a flag'],
  ['a', `{ summary: 'S', run() {}, args: { x: {} }, flags: { x: {} } }`, 'x is an operand and a flag: rename one'],
  [
    'a',
    `{ summary: 'S', run() {}, args: { x: { type: 'array' }, y: {} } }`,
    'the operand x takes all remaining arguments: put it last',
  ],
  [
    'a',
    `{ summary: 'S', run() {}, args: { x: {}, y: { required: true } } }`,
    'the required operand y follows the optional operand x',
  ],
  [
    'a',
    `{ summary: 'S', run() {}, flags: { x: { validate_callback: () => true } } }`,
    'x has a validate_callback, which only arguments of routes can have: check it in run',
  ],
]

for (const [name, command, message] of WRONG) {
  commands(`are refused: ${message}`, async () => {
    const apply = `apply: ({ addCommand }) => addCommand(${JSON.stringify(name)}, ${command})`
    await using site = await workplace(`export default { name: 'garden', ${apply} }`)
    const { code, err } = await site.run('plugins')
    assert.is(code, 1)
    assert.ok(err.includes(message), err)
  })
}

commands('exit with code 1 for return values that are not exit codes', async () => {
  const returned = [0, 5, 255, 256, -1, 1.5, Number.NaN, true, 'x']
  const apply = `apply({ addCommand }) {
    const all = [0, 5, 255, 256, -1, 1.5, NaN, true, 'x']
    addCommand('garden', { summary: 'S', args: { at: { type: 'integer' } }, run: ({ operands }) => all[operands.at] })
    addCommand('garden-names', { summary: 'S', flags: { constructor: { type: 'string' } }, run: ({ flags, print }) => print(JSON.stringify(Object.keys(flags))) })
  }`
  await using site = await workplace(`export default { name: 'garden', ${apply} }`)
  const codes: number[] = []
  for (const at of returned.keys()) codes.push((await site.run('garden', String(at))).code)
  assert.equal(codes, [0, 5, 255, 1, 1, 1, 1, 1, 1])
  assert.is((await site.run('garden-names')).out, '[]')
})

commands('with the same name are rejected, and so are operands that hide a command', async () => {
  const adding = (...names: string[]) => {
    const calls = names.map((name) => {
      const args = name.endsWith('…') ? 'args: { what: {} }' : ''
      return `addCommand('${name.replace('…', '')}', { summary: 'S', run() {}, ${args} })`
    })
    return `export default { name: 'garden', apply({ addCommand }) { ${calls.join('; ')} } }`
  }
  await using twice = await workplace(adding('garden', 'garden'))
  const { err } = await twice.run('plugins')
  assert.match(
    err,
    /The command "garden" already exists: it was added by garden, first at .+garden\.mjs:1:\d+\. Choose/,
  )
  for (const names of [
    ['garden…', 'garden plant'],
    ['garden plant', 'garden…'],
  ]) {
    await using hidden = await workplace(adding(...names))
    assert.match(
      (await hidden.run('plugins')).err,
      'its operands are ambiguous because the command garden plant exists',
    )
  }
  await using separate = await workplace(adding('garden', 'gardens…'))
  assert.is((await separate.run('plugins', 'garden')).code, 0)
})

commands('exit after all output is written, even if a plugin has left a timer', async () => {
  const timer = `export default {
  name: 'garden',
  apply({ addCommand }) {
    setInterval(() => {}, 1000)
    addCommand('garden', { summary: 'S', run({ print }) { print('x'.repeat(3e6)); return 5 } })
  },
}`
  await using site = await workplace(timer)
  for (const [name, code] of [
    ['garden', 5],
    ['plugins', 0],
  ] as const) {
    const child = spawn(process.execPath, ['bin/svc', name, '--config', site.config], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [out, [ended]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    assert.is(ended, code)
    if (name === 'garden') assert.is(out.length, 3e6 + 1)
  }
})

commands.run()
