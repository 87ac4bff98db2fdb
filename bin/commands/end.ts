/**
 * Flushes stdout and stderr, then exits, even if a plugin has left a timer or a connection open. For commands whose work
 * is done when `main` resolves; `bin/launch.js` calls it.
 */
export async function end(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    // The callback also runs if the reader has closed the pipe, as in `svc routes | head -1`.
    await new Promise<void>((done) => stream.write('', () => done()))
  }
  process.exit(code)
}
