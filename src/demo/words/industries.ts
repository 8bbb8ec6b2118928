/** Descriptions by industry; {city} is the location of the company. */
export const DESCRIPTIONS: Record<string, string[]> = {
  Logistics: [
    'Haulage and warehousing out of {city}, with its own fleet.',
    'Contract logistics for food and pharma; dispatch and two warehouses near {city}.',
  ],
  Transport: ['Coastal shipping; the home port is {city}, crews work in rotations.'],
  Construction: [
    'Works for housing companies and town halls around {city}.',
    'Family firm in the third generation; several sites at a time around {city}.',
  ],
  Manufacturing: [
    'Family-owned maker with one plant in {city} and customers all over Europe.',
    'Plant and offices in {city}; works in three shifts.',
  ],
  'Food and beverages': [
    'Sells to supermarkets and to its own shops in {city}.',
    'Regional producer from {city}; seasonal staff in summer.',
  ],
  'Real estate': ['Lets and manages flats and offices in {city}.'],
  'Health care': ['Several sites in and around {city}, run from one back office.'],
  Hospitality: ['Four houses, the largest in {city}; staff planning is the daily headache.'],
  Insurance: ['Independent broker for small businesses in {city}.'],
  'Financial services': ['Advises private clients and foundations from {city}.'],
  Energy: ['Plans, builds and services plants around {city}.'],
  Education: ['Vocational training and evening courses in {city}.'],
  Software: ['Makes software for public utilities; developers in {city} and remote.'],
  Retail: ['Shops in {city} and the suburbs, and a growing web shop.'],
  Media: ['Specialist publisher from {city}: magazines, books and trade fairs.'],
  Agriculture: ['Growers from the area around {city}, sell all over Europe.'],
  'Professional services': ['Advises family businesses in and around {city}.'],
}
