import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Mistake } from './mistake.ts'

// Not import.meta.dirname, which Node 18 lacks.
const here = dirname(fileURLToPath(import.meta.url))

/** Root of the checkout of svc-rest that contains this file; null in the published package, which has no sources. */
export const checkout = existsSync(join(here, 'main.ts')) ? dirname(dirname(here)) : null

/** Folder of this package. */
export const packageRoot = checkout === null ? dirname(here) : here

/**
 * Packs svc-rest with `npm pack`, which compiles it first.
 * @param root of a checkout in which `npm ci` was run
 * @param use receives the path of the tarball, which is deleted afterwards
 * @throws Mistake with the output of npm if packing fails
 */
export async function withTarball<T>(root: string, use: (tarball: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'create-svc-rest-'))
  try {
    await npmPack(root, folder)
    const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
    if (tarball === undefined) throw new Error(`npm pack wrote no tarball to ${folder}.`)
    return await use(join(folder, tarball))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function npmPack(cwd: string, destination: string): Promise<void> {
  // The destination is not an argument, because the shell that finds npm on every system would split it at spaces.
  const env = { ...process.env, npm_config_pack_destination: destination, npm_config_loglevel: 'error' }
  const child = spawn('npm pack', { cwd, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Mistake(`npm pack failed in ${cwd}:\n${output}`))
    })
  })
}
