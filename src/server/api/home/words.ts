// Texts of the start page and of folder pages in all languages of the pages, as plain text.

import type { PageLanguage } from "../http/representation/reader.ts";

/** A text for one thing and one for several, with the placeholder `{count}`. */
export type Counted = readonly [one: string, other: string];

/** Placeholders `{…}` are replaced with values. */
export interface Words {
  readonly skip: string;
  readonly startPage: string;
  readonly where: string;
  readonly search: string;
  readonly searchIn: string;
  readonly folders: string;
  readonly pictures: string;
  readonly folderCount: Counted;
  readonly pictureCount: Counted;
  readonly empty: string;
  readonly everything: string;
  readonly nothingHere: string;
  readonly viewFolder: string;
  readonly manifest: string;
  readonly view: string;
  readonly linksOf: string;
  readonly unreadable: string;
  readonly pages: string;
  readonly first: string;
  readonly previous: string;
  readonly next: string;
  readonly last: string;
  readonly range: string;
  readonly found: Counted;
  readonly foundSome: string;
  readonly nothingFound: string;
  readonly isCut: string;
  readonly stopped: string;
  readonly stoppedAt: string;
  readonly reading: string;
  readonly someUnreadable: string;
  readonly logIn: string;
  readonly logOut: string;
  readonly locked: string;
  readonly lockedText: string;
  readonly onlyThere: string;
}

const en: Words = {
  skip: "Skip to content",
  startPage: "Start page",
  where: "Where you are",
  search: "Search",
  searchIn: "Search in {name}",
  folders: "Folders",
  pictures: "Pictures",
  folderCount: ["{count} folder", "{count} folders"],
  pictureCount: ["{count} picture", "{count} pictures"],
  empty: "empty",
  everything: "All folders and pictures",
  nothingHere: "There is nothing here that you may see, or nothing yet.",
  viewFolder: "View the folder",
  manifest: "Manifest",
  view: "View",
  linksOf: "links of {name}",
  unreadable: "This picture cannot be shown.",
  pages: "Pages",
  first: "First",
  previous: "Previous",
  next: "Next",
  last: "Last",
  range: "{from}–{to} of {total}",
  found: ["{count} entry found for “{text}”.", "{count} entries found for “{text}”."],
  foundSome: "Entries found for “{text}”.",
  nothingFound: "Nothing found for “{text}”.",
  isCut: "There are more: add a word to find fewer.",
  stopped: "The search stopped before it reached the end. To find the rest, open a folder and search in it.",
  stoppedAt:
    "The search stopped before it reached the end, at {folder}. To find the rest, open a folder and search in it.",
  reading:
    "These results are not complete: the folders are being read. Search again in a moment to find the rest.",
  someUnreadable: "These results are not complete: some folders could not be read.",
  logIn: "Log in",
  logOut: "Log out",
  locked: "Needs a login",
  lockedText: "This folder is shown after a login.",
  onlyThere: "This folder is open only at certain places, such as a reading room.",
};

const de: Words = {
  skip: "Zum Inhalt springen",
  startPage: "Startseite",
  where: "Wo Sie sind",
  search: "Suchen",
  searchIn: "In {name} suchen",
  folders: "Ordner",
  pictures: "Bilder",
  folderCount: ["{count} Ordner", "{count} Ordner"],
  pictureCount: ["{count} Bild", "{count} Bilder"],
  empty: "leer",
  everything: "Alle Ordner und Bilder",
  nothingHere: "Hier ist nichts, was Sie sehen dürfen, oder noch nichts.",
  viewFolder: "Ordner ansehen",
  manifest: "Manifest",
  view: "Ansehen",
  linksOf: "Links zu {name}",
  unreadable: "Dieses Bild lässt sich nicht anzeigen.",
  pages: "Seiten",
  first: "Erste",
  previous: "Zurück",
  next: "Weiter",
  last: "Letzte",
  range: "{from}–{to} von {total}",
  found: ["{count} Eintrag zu „{text}“ gefunden.", "{count} Einträge zu „{text}“ gefunden."],
  foundSome: "Einträge zu „{text}“ gefunden.",
  nothingFound: "Nichts zu „{text}“ gefunden.",
  isCut: "Es gibt noch mehr: Ein weiteres Wort grenzt die Suche ein.",
  stopped:
    "Die Suche hat vor dem Ende aufgehört. Um den Rest zu finden, öffnen Sie einen Ordner und suchen Sie darin.",
  stoppedAt:
    "Die Suche hat vor dem Ende aufgehört, bei {folder}. Um den Rest zu finden, öffnen Sie einen Ordner und suchen Sie darin.",
  reading:
    "Diese Ergebnisse sind nicht vollständig: Die Ordner werden gerade gelesen. Suchen Sie in einem Augenblick noch einmal.",
  someUnreadable: "Diese Ergebnisse sind nicht vollständig: Einige Ordner ließen sich nicht lesen.",
  logIn: "Anmelden",
  logOut: "Abmelden",
  locked: "Nur mit Anmeldung",
  lockedText: "Dieser Ordner wird nach einer Anmeldung gezeigt.",
  onlyThere: "Dieser Ordner ist nur an bestimmten Orten zugänglich, etwa im Lesesaal.",
};

const fr: Words = {
  skip: "Aller au contenu",
  startPage: "Page d’accueil",
  where: "Où vous êtes",
  search: "Rechercher",
  searchIn: "Rechercher dans {name}",
  folders: "Dossiers",
  pictures: "Images",
  folderCount: ["{count} dossier", "{count} dossiers"],
  pictureCount: ["{count} image", "{count} images"],
  empty: "vide",
  everything: "Tous les dossiers et images",
  nothingHere: "Il n’y a rien ici que vous puissiez voir, ou rien encore.",
  viewFolder: "Voir le dossier",
  manifest: "Manifeste",
  view: "Voir",
  linksOf: "liens de {name}",
  unreadable: "Cette image ne peut pas être montrée.",
  pages: "Pages",
  first: "Première",
  previous: "Précédente",
  next: "Suivante",
  last: "Dernière",
  range: "{from}–{to} sur {total}",
  found: ["{count} résultat pour « {text} ».", "{count} résultats pour « {text} »."],
  foundSome: "Résultats pour « {text} ».",
  nothingFound: "Aucun résultat pour « {text} ».",
  isCut: "Il y en a d’autres : ajoutez un mot pour en trouver moins.",
  stopped: "La recherche s’est arrêtée avant la fin. Pour trouver le reste, ouvrez un dossier et cherchez-y.",
  stoppedAt:
    "La recherche s’est arrêtée avant la fin, à {folder}. Pour trouver le reste, ouvrez un dossier et cherchez-y.",
  reading:
    "Ces résultats ne sont pas complets : les dossiers sont en cours de lecture. Refaites la recherche dans un instant.",
  someUnreadable: "Ces résultats ne sont pas complets : certains dossiers n’ont pas pu être lus.",
  logIn: "Se connecter",
  logOut: "Se déconnecter",
  locked: "Connexion nécessaire",
  lockedText: "Ce dossier est montré après une connexion.",
  onlyThere: "Ce dossier n’est ouvert qu’en certains lieux, comme une salle de lecture.",
};

const es: Words = {
  skip: "Ir al contenido",
  startPage: "Página de inicio",
  where: "Dónde está",
  search: "Buscar",
  searchIn: "Buscar en {name}",
  folders: "Carpetas",
  pictures: "Imágenes",
  folderCount: ["{count} carpeta", "{count} carpetas"],
  pictureCount: ["{count} imagen", "{count} imágenes"],
  empty: "vacía",
  everything: "Todas las carpetas e imágenes",
  nothingHere: "Aquí no hay nada que usted pueda ver, o todavía nada.",
  viewFolder: "Ver la carpeta",
  manifest: "Manifiesto",
  view: "Ver",
  linksOf: "enlaces de {name}",
  unreadable: "Esta imagen no se puede mostrar.",
  pages: "Páginas",
  first: "Primera",
  previous: "Anterior",
  next: "Siguiente",
  last: "Última",
  range: "{from}–{to} de {total}",
  found: ["{count} resultado para «{text}».", "{count} resultados para «{text}»."],
  foundSome: "Resultados para «{text}».",
  nothingFound: "No se ha encontrado nada para «{text}».",
  isCut: "Hay más: añada una palabra para encontrar menos.",
  stopped:
    "La búsqueda se ha detenido antes del final. Para encontrar el resto, abra una carpeta y busque en ella.",
  stoppedAt:
    "La búsqueda se ha detenido antes del final, en {folder}. Para encontrar el resto, abra una carpeta y busque en ella.",
  reading:
    "Estos resultados no están completos: se están leyendo las carpetas. Busque de nuevo dentro de un momento.",
  someUnreadable: "Estos resultados no están completos: algunas carpetas no se han podido leer.",
  logIn: "Iniciar sesión",
  logOut: "Cerrar sesión",
  locked: "Requiere iniciar sesión",
  lockedText: "Esta carpeta se muestra tras iniciar sesión.",
  onlyThere: "Esta carpeta solo está abierta en determinados lugares, como una sala de lectura.",
};

const it: Words = {
  skip: "Vai al contenuto",
  startPage: "Pagina iniziale",
  where: "Dove si trova",
  search: "Cerca",
  searchIn: "Cerca in {name}",
  folders: "Cartelle",
  pictures: "Immagini",
  folderCount: ["{count} cartella", "{count} cartelle"],
  pictureCount: ["{count} immagine", "{count} immagini"],
  empty: "vuota",
  everything: "Tutte le cartelle e le immagini",
  nothingHere: "Qui non c’è nulla che lei possa vedere, o ancora nulla.",
  viewFolder: "Vedi la cartella",
  manifest: "Manifest",
  view: "Vedi",
  linksOf: "collegamenti di {name}",
  unreadable: "Questa immagine non si può mostrare.",
  pages: "Pagine",
  first: "Prima",
  previous: "Precedente",
  next: "Successiva",
  last: "Ultima",
  range: "{from}–{to} di {total}",
  found: ["{count} risultato per «{text}».", "{count} risultati per «{text}»."],
  foundSome: "Risultati per «{text}».",
  nothingFound: "Nessun risultato per «{text}».",
  isCut: "Ce ne sono altri: aggiunga una parola per trovarne meno.",
  stopped:
    "La ricerca si è fermata prima della fine. Per trovare il resto, apra una cartella e cerchi al suo interno.",
  stoppedAt:
    "La ricerca si è fermata prima della fine, a {folder}. Per trovare il resto, apra una cartella e cerchi al suo interno.",
  reading: "Questi risultati non sono completi: le cartelle sono in lettura. Cerchi di nuovo tra un momento.",
  someUnreadable: "Questi risultati non sono completi: alcune cartelle non si sono potute leggere.",
  logIn: "Accedi",
  logOut: "Esci",
  locked: "Richiede un accesso",
  lockedText: "Questa cartella si vede dopo un accesso.",
  onlyThere: "Questa cartella è aperta solo in certi luoghi, come una sala di lettura.",
};

const nl: Words = {
  skip: "Naar de inhoud",
  startPage: "Startpagina",
  where: "Waar u bent",
  search: "Zoeken",
  searchIn: "Zoeken in {name}",
  folders: "Mappen",
  pictures: "Afbeeldingen",
  folderCount: ["{count} map", "{count} mappen"],
  pictureCount: ["{count} afbeelding", "{count} afbeeldingen"],
  empty: "leeg",
  everything: "Alle mappen en afbeeldingen",
  nothingHere: "Hier is niets dat u mag zien, of nog niets.",
  viewFolder: "Map bekijken",
  manifest: "Manifest",
  view: "Bekijken",
  linksOf: "links van {name}",
  unreadable: "Deze afbeelding kan niet worden getoond.",
  pages: "Pagina’s",
  first: "Eerste",
  previous: "Vorige",
  next: "Volgende",
  last: "Laatste",
  range: "{from}–{to} van {total}",
  found: ["{count} resultaat voor “{text}”.", "{count} resultaten voor “{text}”."],
  foundSome: "Resultaten voor “{text}”.",
  nothingFound: "Niets gevonden voor “{text}”.",
  isCut: "Er zijn er meer: voeg een woord toe om er minder te vinden.",
  stopped: "Het zoeken is voor het einde gestopt. Open een map en zoek daarin om de rest te vinden.",
  stoppedAt:
    "Het zoeken is voor het einde gestopt, bij {folder}. Open een map en zoek daarin om de rest te vinden.",
  reading: "Deze resultaten zijn niet volledig: de mappen worden gelezen. Zoek over een ogenblik nog eens.",
  someUnreadable: "Deze resultaten zijn niet volledig: sommige mappen konden niet worden gelezen.",
  logIn: "Inloggen",
  logOut: "Uitloggen",
  locked: "Alleen na inloggen",
  lockedText: "Deze map is te zien na het inloggen.",
  onlyThere: "Deze map is alleen op bepaalde plaatsen toegankelijk, zoals een leeszaal.",
};

export const words = { en, de, fr, es, it, nl } as const satisfies Readonly<Record<PageLanguage, Words>>;
