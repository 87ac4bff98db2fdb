import { run } from './server.ts'

/** Installs packages into a folder. Downloads only packages that the npm cache lacks. */
export async function install(folder: string, ...packages: string[]): Promise<void> {
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder)
}
