import { run } from './server.ts'

/** Installs packages into a folder; of the registry it asks for what is not kept already. */
export async function install(folder: string, ...packages: string[]): Promise<void> {
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder)
}
