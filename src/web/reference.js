// The reference is whole without this. Here is what only a script can add: a filter, copy buttons and a place marker.

const search = document.querySelector('search')
const input = search.querySelector('input')
const links = [...document.querySelectorAll('nav a')]
const groups = [...document.querySelectorAll('.group')]
const sections = [...document.querySelectorAll('main section:not(.group)')]
const texts = new Map(sections.map((section) => [section, section.textContent.toLowerCase()]))

/** Shows the sections that have all the words, and the links to them. */
function filter() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const section of sections) section.hidden = !words.every((word) => texts.get(section).includes(word))
  for (const group of groups) group.hidden = !group.querySelector('section:not([hidden])')
  for (const link of links) link.parentElement.hidden = targetOf(link.hash).closest('[hidden]') !== null
  const shown = sections.filter((section) => !section.hidden).length
  document.querySelector('.nothing').hidden = shown > 0
  search.querySelector('output').value = words.length > 0 ? `${shown} sections` : ''
}

const targetOf = (hash) => document.getElementById(hash.slice(1))

function showAll() {
  input.value = ''
  filter()
}

search.hidden = false
input.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && document.activeElement === input) showAll()
  if (event.key !== '/' || document.activeElement === input) return
  event.preventDefault()
  input.select()
})
// A link to what the filter hides shows all again.
document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[href^="#"]')
  if (link && targetOf(link.hash).closest('[hidden]')) showAll()
})

// Browsers hand out the clipboard on https and on this machine only.
for (const code of navigator.clipboard ? document.querySelectorAll('.code') : []) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  code.append(button)
}

function mark(section) {
  const id = section.id || section.querySelector('h2')?.id
  const own = links.find(({ hash }) => hash === `#${id}`)
  // On a phone the contents name the groups only; an object has no link of its own anywhere.
  const group = links.find(({ hash }) => hash === `#${section.closest('.group')?.querySelector('h2').id}`)
  const link = own?.offsetParent ? own : group
  for (const each of links) each.toggleAttribute('aria-current', false)
  link?.setAttribute('aria-current', 'true')
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

const marker = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) mark(target)
  },
  { rootMargin: '-15% 0% -80%' },
)
for (const section of [...sections, ...document.querySelectorAll('.group > .two:first-child')]) marker.observe(section)
