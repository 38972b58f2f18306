// Texts of error pages in all languages of the pages, as plain text.

import type { PageLanguage } from "./representation/reader.ts";

export interface ProblemWords {
  readonly nothing: string;
  readonly nothingText: string;
  readonly noAccess: string;
  readonly noAccessText: string;
  readonly badLink: string;
  readonly badLinkText: string;
  readonly later: string;
  readonly laterText: string;
  readonly broken: string;
  readonly brokenText: string;
  readonly startPage: string;
}

export const problemWords: Readonly<Record<PageLanguage, ProblemWords>> = {
  en: {
    nothing: "There is nothing here",
    nothingText: "Nothing that could be shown is at this address. Check the link.",
    noAccess: "No access",
    noAccessText: "This is not open to everybody. The start page says if you can log in.",
    badLink: "This link cannot be read",
    badLinkText: "A part of it may be missing. Copy the whole link once more.",
    later: "Not possible at the moment",
    laterText: "Wait a moment and load this page again.",
    broken: "Something went wrong",
    brokenText: "The error is on our side. Try again later.",
    startPage: "To the start page",
  },
  de: {
    nothing: "Hier ist nichts",
    nothingText: "Unter dieser Adresse gibt es nichts, was gezeigt werden könnte. Prüfen Sie den Link.",
    noAccess: "Kein Zugang",
    noAccessText: "Das ist nicht für alle zugänglich. Auf der Startseite steht, ob Sie sich anmelden können.",
    badLink: "Dieser Link ist nicht lesbar",
    badLinkText: "Vielleicht fehlt ein Teil. Kopieren Sie den ganzen Link noch einmal.",
    later: "Im Moment nicht möglich",
    laterText: "Warten Sie einen Augenblick und laden Sie die Seite noch einmal.",
    broken: "Etwas ist schiefgegangen",
    brokenText: "Der Fehler liegt bei uns. Versuchen Sie es später noch einmal.",
    startPage: "Zur Startseite",
  },
  fr: {
    nothing: "Il n’y a rien ici",
    nothingText: "Rien de ce qui pourrait être montré n’est à cette adresse. Vérifiez le lien.",
    noAccess: "Accès refusé",
    noAccessText: "Cela n’est pas ouvert à tous. La page d’accueil dit s’il est possible de se connecter.",
    badLink: "Ce lien n’est pas lisible",
    badLinkText: "Il en manque peut-être une partie. Copiez encore une fois le lien entier.",
    later: "Impossible pour le moment",
    laterText: "Attendez un instant et rechargez cette page.",
    broken: "Une erreur est survenue",
    brokenText: "L’erreur vient de notre côté. Réessayez plus tard.",
    startPage: "Vers la page d’accueil",
  },
  es: {
    nothing: "Aquí no hay nada",
    nothingText: "En esta dirección no hay nada que se pueda mostrar. Compruebe el enlace.",
    noAccess: "Sin acceso",
    noAccessText: "Esto no está abierto a todos. La página de inicio dice si se puede iniciar sesión.",
    badLink: "Este enlace no se puede leer",
    badLinkText: "Puede que falte una parte. Copie de nuevo el enlace entero.",
    later: "No es posible en este momento",
    laterText: "Espere un momento y vuelva a cargar la página.",
    broken: "Algo ha fallado",
    brokenText: "El error es nuestro. Inténtelo de nuevo más tarde.",
    startPage: "A la página de inicio",
  },
  it: {
    nothing: "Qui non c’è nulla",
    nothingText: "A questo indirizzo non c’è nulla da mostrare. Controlli il collegamento.",
    noAccess: "Accesso negato",
    noAccessText: "Questo non è aperto a tutti. La pagina iniziale dice se si può accedere.",
    badLink: "Questo collegamento non è leggibile",
    badLinkText: "Forse ne manca una parte. Copi di nuovo il collegamento intero.",
    later: "Al momento non è possibile",
    laterText: "Attenda un momento e ricarichi la pagina.",
    broken: "Qualcosa è andato storto",
    brokenText: "L’errore è dalla nostra parte. Riprovi più tardi.",
    startPage: "Alla pagina iniziale",
  },
  nl: {
    nothing: "Hier is niets",
    nothingText: "Op dit adres is niets dat getoond kan worden. Controleer de link.",
    noAccess: "Geen toegang",
    noAccessText: "Dit is niet voor iedereen toegankelijk. Op de startpagina staat of u kunt inloggen.",
    badLink: "Deze link kan niet worden gelezen",
    badLinkText: "Misschien ontbreekt er een deel. Kopieer de hele link nog eens.",
    later: "Op dit moment niet mogelijk",
    laterText: "Wacht even en laad de pagina opnieuw.",
    broken: "Er is iets misgegaan",
    brokenText: "De fout ligt bij ons. Probeer het later opnieuw.",
    startPage: "Naar de startpagina",
  },
};
