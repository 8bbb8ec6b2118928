/** compose.yaml of the sources builds its image; the one of a release takes that of image.ts, which was loaded. */
export function releaseCompose(text: string, version: string): string {
  const told = `# "docker load --input dealbox-${version}-image.tar" (or podman), then "docker compose up --detach". docs/install.md says more.`
  const lines = text.split('\n')
  const build = lines.indexOf('    build: .')
  const named = lines.indexOf('    image: dealbox')
  if (build < 0 || named < 0 || !lines[0]?.startsWith('#')) throw new Error('compose.yaml has another form')
  lines[0] = told
  lines[named] = `    image: dealbox:${version}`
  return lines.toSpliced(build, 1).join('\n')
}
